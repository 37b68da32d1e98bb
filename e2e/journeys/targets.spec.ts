import type { Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { signIn } from './sign-in.ts'
import { WatchedPage } from './watched-page.ts'

/** What the console promises is 2 s; a busy machine gets more before a test calls it broken. */
const LIVE = { timeout: 6_000 }

test.use({ timezoneId: 'Europe/Stockholm', locale: 'en-GB' })

const stateOf = (page: Page, what: 'job' | 'run') =>
  page.getByRole('status', { name: `State of the ${what}` })

test('a container image is made with a secret, and edited without typing it again', async ({
  page,
  stack,
  api,
}, { project }) => {
  const name = `image-${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/new-job`)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Container image').check()

  await test.step('what is wrong stands at its field', async () => {
    await page.getByLabel('Image', { exact: true }).fill('docker.io/team/report')
    await page.getByLabel('Tag', { exact: true }).fill('1.4.0')
    await page.getByRole('button', { name: 'Add variable' }).click()
    await page.getByLabel('Name of variable 1').fill('API_TOKEN')
    await page.getByLabel('Value of variable 1').fill('only-once')
    await page.getByLabel('Secret', { exact: true }).check()
    await page.getByRole('button', { name: 'Add source' }).click()
    await page.getByLabel('Name of source 1').fill('database')
    await page.getByLabel('Prefix of source 1').fill('1-')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page.getByLabel('Image', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByLabel('Image', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Prefix of source 1')).toHaveAttribute('aria-invalid', 'true')
    await watched.look('21-image-refused', 'grown')
  })

  await test.step('it is made', async () => {
    await page.getByLabel('Image', { exact: true }).fill('team/report')
    await page.getByLabel('Prefix of source 1').fill('DB_')
    await page.getByRole('button', { name: 'Add argument' }).click()
    await page.getByLabel('argument 1').fill('line 1\nline 2')
    await page.getByLabel('When it calls back').check()
    await page.getByLabel('Wait for the callback (seconds)').fill('90')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${name}`)
    await expect(page.getByText('team/report:1.4.0')).toBeVisible()
    await expect(page.getByText('only-once')).toHaveCount(0)
    await watched.look('22-image-job')
    expect((await api.job(name)).image).toEqual({
      name: 'team/report',
      tag: '1.4.0',
      args: ['line 1\nline 2'],
      env: { API_TOKEN: { secret: '••••' } },
      env_from: [{ secret: 'database', prefix: 'DB_' }],
      timeout_seconds: 3600,
      max_wait_seconds: 90,
    })
  })

  await test.step('an edit keeps the secret; under another image it has to be typed again', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await expect(page.getByLabel('Value of variable 1')).toHaveValue('')
    await page.getByLabel('Tag', { exact: true }).fill('1.5.0')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('team/report:1.5.0')).toBeVisible()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Image', { exact: true }).fill('team/other')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByLabel('Name of variable 1')).toHaveAttribute('aria-invalid', 'true')
    await watched.look('23-image-secret-refused', 'grown')
  })
  await api.deleteJob(name)
  expect(watched.errors()).toEqual([])
})

test('a pipeline of mixed kinds is made, waits for a callback, fails and goes on from there', async ({
  page,
  stack,
  api,
  target,
}, { project }) => {
  test.setTimeout(180_000)
  const name = `pipeline-${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  const broken = { is: true }
  target.reply = call => (call.path === '/tell' && broken.is ? { status: 400 } : { body: '{"rows":12}' })
  await signIn(page, stack)

  await test.step('its steps are written, moved by keyboard, and the first is tried', async () => {
    await page.goto(`${stack.url}/demo/demo/new-job`)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Pipeline of steps').check()
    const step = (number: number) => page.getByRole('group', { name: `Step ${number}`, exact: true })
    await step(1).getByLabel('Step id').fill('load')
    await step(1).getByLabel('URL').fill(target.url('/load'))
    await step(1).getByLabel('When it calls back').check()
    await page.getByRole('button', { name: /New step/ }).click()
    await step(2).getByLabel('Step id').fill('extract')
    await step(2).getByLabel('URL').fill('nonsense')
    await step(2).getByRole('button', { name: 'Add header' }).click()
    await step(2).getByLabel('Name of header 1').fill('Authorization')
    await step(2).getByLabel('Value of header 1').fill('Bearer abc')
    await step(2).getByLabel('Secret', { exact: true }).check()
    await page.getByRole('button', { name: 'Move extract up' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText('extract is now step 1 of 2.')).toHaveCount(1)
    await expect(page.getByRole('button', { name: 'Move extract up' })).toBeFocused()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(step(1).getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    await step(1).getByLabel('URL').fill(target.url('/extract'))
    await step(1).getByRole('button', { name: 'Test call' }).click()
    await expect(step(1).getByText('Succeeded')).toBeVisible()
    const [tried] = await target.received(1, '/extract')
    expect(tried?.headers.authorization).toBe('Bearer abc')
    await page.getByRole('button', { name: 'Add step' }).click()
    await step(3).getByLabel('Step id').fill('tell')
    await step(3).getByLabel('URL').fill(target.url('/tell'))
    await page.getByRole('button', { name: 'Add step' }).click()
    await step(4).getByLabel('Step id').fill('archive')
    await step(4).getByLabel('Container image').check()
    await step(4).getByLabel('Image', { exact: true }).fill('team/archive')
    await step(4).getByLabel('Tag').fill('1')
    await step(4).getByLabel('Retry settings of its own').check()
    await step(4).getByLabel('Attempts').fill('1')
    await watched.look('24-pipeline-form', 'grown')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${name}`)
    await watched.look('25-pipeline-job')
    const { steps = [] } = await api.job(name)
    expect(steps.map(({ id }) => id)).toEqual(['extract', 'load', 'tell', 'archive'])
    expect(steps[3]).toMatchObject({ image: { name: 'team/archive' }, max_attempts: 1 })
  })

  await test.step('an edit of another step keeps the secret', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: /^3 tell/ }).click()
    await page.getByRole('group', { name: 'Step 3', exact: true }).getByLabel('Timeout (seconds)').fill('9')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${name}`)
    expect((await api.job(name)).steps?.[2]).toMatchObject({ timeout_seconds: 9 })
  })

  await test.step('the run waits for a callback, counting down, and never shows its token', async () => {
    const { id } = await api.trigger(name)
    const [load] = await target.received(1, '/load')
    expect((await target.received(2, '/extract'))[1]?.headers.authorization).toBe('Bearer abc')
    const callback = String(load?.headers.callback)
    await page.goto(`${stack.url}/demo/demo/runs/${id}`)
    await expect(page.getByText(/Step load waits \d+:\d\d more for its callback/)).toBeVisible(LIVE)
    await expect(page.getByText(/\/v1\/callbacks\/att_\w+\/‹token›/)).toBeVisible()
    expect(await page.content()).not.toContain(callback.split('/').at(-1))
    await watched.look('26-waits')
    await watched.mark()
    const reported = await fetch(callback, {
      method: 'POST',
      body: '{"result":"OK","description":"12 rows"}',
    })
    expect(reported.status).toBe(204)
    await expect(stateOf(page, 'run')).toHaveText('Failed', LIVE)
    expect(await watched.isSamePage()).toBe(true)
    await expect(page.getByText('load: OK, 12 rows')).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: 'archive' })).toContainText('Not run')
    // What has come in since the page was loaded has moved nothing that the reader looks at.
    await watched.look('27-not-run', 'loaded')
  })

  await test.step('it goes on from the step that failed', async () => {
    broken.is = false
    await page.getByRole('button', { name: 'Retry from tell' }).click()
    await expect(page.getByText(/No image can run here/).first()).toBeVisible({ timeout: 15_000 })
    await expect(stateOf(page, 'run')).toHaveText('Failed')
    expect(target.to('/load')).toHaveLength(1)
    expect(target.to('/tell')).toHaveLength(2)
    await watched.look('28-from-failed', 'grown')
  })

  await test.step('the list of jobs can be narrowed to pipelines', async () => {
    await page.goto(`${stack.url}/demo/demo/jobs`)
    await page.getByLabel('Kind').selectOption('Image executions')
    await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
    await page.getByLabel('Kind').selectOption('Pipelines')
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
    await watched.look('29-pipelines', 'grown')
  })
  await api.deleteJob(name)
  expect(watched.errors()).toEqual([])
})
