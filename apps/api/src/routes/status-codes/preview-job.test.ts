import {
  answers,
  KEY_IN_USE,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['previewJob', 'previewSchedule'], {
  body: { cron: '0 3 * * *' },
  rows: [
    answers(200, 'a schedule', { key: 'read' }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: { cron: '61 * * * *', timezone: 'Mars/X', count: 101, aftr: 'now' },
      fields: ['cron', 'timezone', 'count', 'aftr'],
      says: /Did you mean after\?/,
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    ...KEY_IN_USE,
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
