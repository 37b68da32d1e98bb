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
import { EXAMPLE_PIPELINE } from '../scheduler/scheduler-examples.ts'

statusCodes(['createPipeline'], {
  params: { organizationId: 'own' },
  body: EXAMPLE_PIPELINE,
  rows: [
    answers(201, 'an id that is free'),
    refuses(409, 'conflict', 'the same again', { says: /exists already/ }),
    refuses(409, 'limit_reached', 'one more than the organization may have', {
      body: { ...EXAMPLE_PIPELINE, id: 'one-more' },
      limits: { jobs_per_organization: 1 },
    }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: {
        id: '-x',
        schedule: { cron: { expresion: '0 2 * * *' } },
        pipeline: { steps: [{ id: 'a', restRequest: { url: 'ftp://api.example.com/' } }, { id: 'a b' }] },
      },
      fields: [
        'id',
        'schedule.cron.expresion',
        'schedule.cron.expression',
        'pipeline.steps[0].restRequest.url',
        'pipeline.steps[1].id',
        'pipeline.steps[1].restRequest',
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
