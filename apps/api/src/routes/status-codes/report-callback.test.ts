import { triggerJob } from '@workly/services'
import { NIGHTLY } from '../../../test/api-fixture.ts'
import { openAttempt } from '../../../test/open-attempt.ts'
import {
  answers,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  STRANGER_TOO_OFTEN,
  statusCodes,
  TOO_LARGE,
} from '../../../test/status-codes.ts'

statusCodes(['reportCallback'], {
  body: { result: 'OK' },
  key: null,
  async given({ api, base }) {
    const response = { callback: { max_wait_seconds: 600 } }
    await api.call('PUT', `${base}/nightly`, { body: { ...NIGHTLY, response } })
    const { id, token } = await openAttempt(api.own.ctx, (await triggerJob(api.own.ctx, 'nightly')).id)
    return { params: { attempt: id, token } }
  },
  rows: [
    refuses(400, 'invalid_request', 'no result, and a field that is none', {
      body: { reslt: 'OK' },
      fields: ['reslt', 'result'],
      says: /Did you mean result\?/,
    }),
    ...NO_JSON_OBJECT,
    refuses(401, 'unauthorized', 'another token, with an API key that is none', {
      params: { token: 'another' },
      key: 'wk_nonsense',
    }),
    { ...STRANGER_TOO_OFTEN, params: { token: 'another' } },
    refuses(403, 'forbidden', 'another token, with an API key of scope read', {
      params: { token: 'another' },
      key: 'read',
    }),
    refuses(404, 'not_found', 'another token', { params: { token: 'another' } }),
    refuses(404, 'not_found', 'another token, with an API key of another organization', {
      params: { token: 'another' },
      key: 'foreign',
    }),
    refuses(404, 'not_found', 'an attempt that is nowhere', {
      params: { attempt: 'att_00000000000000000000000000' },
    }),
    TOO_LARGE,
    ...OUR_FAULT,
    answers(204, 'the address of the callback header, without a key'),
    answers(204, 'the same again'),
    answers(204, 'another token, with an API key of scope run', { params: { token: 'another' }, key: 'run' }),
  ],
})
