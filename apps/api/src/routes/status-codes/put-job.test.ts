import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  keyOfScope,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['putJob', 'putSchedule'], {
  params: { name: 'nightly' },
  body: NIGHTLY,
  rows: [
    answers(201, 'a name that is free'),
    answers(200, 'the same again'),
    answers(201, 'a name that another organization has taken', { key: 'foreign' }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: { crom: '0 3 * * *', url: 'ftp://api.example.com/', timezone: 'Mars/X', max_attempts: 51 },
      fields: ['crom', 'url', 'timezone', 'max_attempts', 'cron'],
      says: /Did you mean cron\?/,
    }),
    refuses(400, 'invalid_request', 'a name that is none', { params: { name: '-x' }, fields: ['name'] }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    refuses(409, 'limit_reached', 'one job more than the organization may have', {
      params: { name: 'one-more' },
      limits: { jobs_per_organization: 1 },
    }),
    refuses(412, 'precondition_failed', 'If-Match of another version', { headers: { 'If-Match': '"x"' } }),
    refuses(412, 'precondition_failed', 'If-Match of a job that does not exist', {
      params: { name: 'absent' },
      headers: { 'If-Match': '*' },
    }),
    refuses(412, 'precondition_failed', 'If-None-Match of a job that exists', {
      headers: { 'If-None-Match': '*' },
    }),
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
