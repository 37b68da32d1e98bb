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
import { EXAMPLE_IMAGE_EXECUTION } from '../scheduler/scheduler-examples.ts'

statusCodes(['createImageExecution'], {
  params: { organizationId: 'own' },
  body: EXAMPLE_IMAGE_EXECUTION,
  rows: [
    answers(201, 'an id that is free'),
    refuses(409, 'conflict', 'the same again', { says: /exists already/ }),
    refuses(409, 'limit_reached', 'one more than the organization may have', {
      body: { ...EXAMPLE_IMAGE_EXECUTION, id: 'one-more' },
      limits: { jobs_per_organization: 1 },
    }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: {
        id: '-x',
        schedule: { cron: { expresion: '0 2 * * *' } },
        imageExecution: { name: 'docker.io/team/report', tag: '1.4.0', timeout: 0 },
      },
      fields: [
        'id',
        'schedule.cron.expresion',
        'schedule.cron.expression',
        'imageExecution.name',
        'imageExecution.timeout',
        'imageExecution.maxTimeToWaitCallback',
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
