import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_REST_REQUEST } from '../scheduler/scheduler-examples.ts'

statusCodes(['createRestRequest'], {
  params: { organizationId: 'own' },
  body: EXAMPLE_REST_REQUEST,
  rows: [
    answers(201, 'an id that is free'),
    refuses(409, 'conflict', 'the same again', { says: /exists already/ }),
    refuses(409, 'limit_reached', 'one more than the organization may have', {
      body: { ...EXAMPLE_REST_REQUEST, id: 'one-more' },
      limits: { jobs_per_organization: 1 },
    }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: {
        id: '-x',
        schedule: { cron: { expresion: '0 2 * * *' }, form: 'now' },
        restRequest: { url: 'ftp://api.example.com/' },
      },
      fields: [
        'id',
        'schedule.cron.expresion',
        'schedule.cron.expression',
        'schedule.form',
        'restRequest.url',
      ],
      says: /Did you mean expression\?/,
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    refuses(404, 'not_found', 'the address of another organization', {
      params: { organizationId: 'foreign' },
    }),
    ...KEY_IN_USE,
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
