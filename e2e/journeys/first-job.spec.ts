import type { Page } from '@playwright/test'
import { Gate } from '../harness/gate.ts'
import { expect, test } from '../harness/test.ts'
import { WatchedPage } from './watched-page.ts'

const JOB = 'nightly-report'

/** What the console promises is 2 s; a busy machine gets more before a test calls it broken. */
const LIVE = { timeout: 6_000 }

test.use({
  timezoneId: 'Europe/Stockholm',
  locale: 'en-GB',
  // The setting tells Workly nothing: it only gives this file an empty Workly of its own.
  stackEnv: { JOURNEY: 'first-job' },
})

function stateOf(page: Page, what: 'job' | 'run') {
  return page.getByRole('status', { name: `State of the ${what}` })
}

test('a newcomer signs in, makes a first job, watches it run, fail, pause and go', async ({
  page,
  stack,
  api,
  target,
}, { project }) => {
  test.setTimeout(300_000)
  const watched = await WatchedPage.watch(page, project.name)
  const { email, password } = stack.credentials
  const gate = new Gate()
  target.reply = call =>
    call.path === '/failing'
      ? {
          status: 503,
          headers: { 'content-type': 'application/json' },
          body: '{"error":"Out of coffee."}',
        }
      : gate.holdFirstAttempts({ body: '{"rows":12}', headers: { 'content-type': 'application/json' } })(call)

  await test.step('sign in with what was printed', async () => {
    await page.goto(stack.url)
    await expect(page).toHaveURL(/\/sign-in/)
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await watched.look('01-sign-in')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'do not fit together' })).toBeVisible()
    await watched.look('02-wrong-password', 'grown')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  })

  await test.step('the empty project teaches', async () => {
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs`)
    await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible()
    await expect(page.getByText(`curl -X PUT localhost:${stack.port}/v1/jobs/nightly-report`)).toBeVisible()
    await watched.look('03-no-jobs')
  })

  await test.step('the form previews the times as one types, and says what is wrong', async () => {
    await page.getByRole('link', { name: 'New job' }).first().click()
    await expect(page.getByRole('heading', { name: 'New job' })).toBeVisible()
    const cron = page.getByLabel('Cron expression')
    await cron.fill('0 25 * * *')
    await expect(page.getByText('This schedule cannot be read yet.')).toBeVisible()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
    await watched.look('04-form-refused', 'grown')
    await page.getByLabel('Name').fill(JOB)
    await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'false')
    await expect(page.getByText('Give the job a name.')).toHaveCount(0)
    await cron.fill('0 3 * * *')
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Stockholm')
    await expect(page.getByText('Every day at 03:00')).toBeVisible()
    await expect(page.locator('time').filter({ hasText: '03:00:00' })).toHaveCount(5)
    await page.getByLabel('URL').fill(target.url('/reports/nightly'))
    await page.getByLabel('Payload (JSON)').fill('{"kind": "daily"}')
    await watched.look('05-form', 'grown')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${JOB}`)
    expect(await api.job(JOB)).toMatchObject({
      cron: '0 3 * * *',
      timezone: 'Europe/Stockholm',
      url: target.url('/reports/nightly'),
      payload: { kind: 'daily' },
    })
  })

  await test.step('the job page has the next five times in the job’s zone', async () => {
    await expect(page.getByRole('heading', { name: JOB, level: 1 })).toBeVisible()
    await expect(stateOf(page, 'job')).toHaveText('Active')
    const { next_runs } = await api.job(JOB)
    for (const instant of next_runs) {
      const shown = page.locator(`time[datetime="${instant}"]`)
      await expect(shown.filter({ hasText: '03:00' }).first()).toBeVisible()
    }
    await watched.look('06-job')
  })

  await test.step('Run now shows its run, which succeeds before the reader’s eyes', async () => {
    await page.getByRole('button', { name: 'Run now' }).click()
    await target.received(1, '/reports/nightly')
    await page
      .getByRole('link', { name: /^Run for/ })
      .first()
      .click()
    await expect(page.getByRole('heading', { name: `Run of ${JOB}` })).toBeVisible()
    await expect(stateOf(page, 'run')).toHaveText('Running')
    await watched.look('07-running')
    await watched.mark()
    const from = Date.now()
    gate.open()
    await expect(stateOf(page, 'run')).toHaveText('Succeeded', LIVE)
    test.info().annotations.push({ type: 'seen after', description: `${Date.now() - from} ms` })
    expect(await watched.isSamePage()).toBe(true)
    await expect(page.getByText('Attempt 1').first()).toBeVisible()
    await expect(page.getByText('"rows": 12').or(page.getByText('{"rows":12}')).first()).toBeVisible()
    await watched.look('08-succeeded', 'grown')
  })

  await test.step('a failing run counts down to its next attempt, and tells why it failed', async () => {
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await expect(page.getByRole('link', { name: JOB })).toBeVisible()
    await watched.mark()
    await api.putJob('failing', {
      cron: '0 4 * * *',
      url: target.url('/failing'),
      headers: { authorization: { secret: 'Bearer abc' } },
      tags: ['coffee'],
      max_attempts: 2,
      min_backoff_seconds: 6,
    })
    // A job made elsewhere comes up by itself.
    await expect(page.getByRole('link', { name: 'failing', exact: true })).toBeVisible(LIVE)
    expect(await watched.isSamePage()).toBe(true)
    await watched.look('09-jobs', 'grown')
    const { id } = await api.trigger('failing')
    await page.goto(`${stack.url}/demo/demo/runs/${id}`)
    await expect(page.getByText(/Attempt 2 in \d/)).toBeVisible(LIVE)
    await expect(page.getByText('Out of coffee.').first()).toBeVisible()
    await expect(page.getByText('Bearer abc')).toHaveCount(0)
    await watched.look('10-next-attempt', 'grown')
    await expect(stateOf(page, 'run')).toHaveText('Failed', { timeout: 20_000 })
    await expect(page.getByText('Attempt 2', { exact: true })).toBeVisible()
    await watched.look('11-failed', 'grown')
    await page.goto(`${stack.url}/demo/demo/runs`)
    await expect(page.getByRole('row').filter({ hasText: 'failing' })).toContainText('Failed')
    await watched.look('12-runs')
  })

  await test.step('pause and resume', async () => {
    await page.goto(`${stack.url}/demo/demo/jobs/${JOB}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect(stateOf(page, 'job')).toHaveText('Paused')
    expect(await api.job(JOB)).toMatchObject({ state: 'paused', next_run_at: null })
    await watched.look('13-paused', 'grown')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect(stateOf(page, 'job')).toHaveText('Active')
  })

  await test.step('an edit moves the schedule', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await expect(page.getByLabel('Cron expression')).toHaveValue('0 3 * * *')
    await page.getByLabel('Cron expression').fill('30 4 * * mon-fri')
    await expect(page.getByRole('status').filter({ hasText: '04:30' })).toBeVisible()
    await watched.look('14-edit', 'grown')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${JOB}`)
    await expect(page.getByText('30 4 * * mon-fri')).toBeVisible()
    expect(await api.job(JOB)).toMatchObject({ cron: '30 4 * * mon-fri', payload: { kind: 'daily' } })
  })

  await test.step('the theme changes, and stays', async () => {
    await page.getByRole('button', { name: /Your account/ }).click()
    await watched.look('15-account', 'grown')
    await page.getByText('Dark', { exact: true }).click({ force: true })
    await page.keyboard.press('Escape')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await expect(page.getByRole('heading', { name: JOB, level: 1 })).toBeVisible()
    await watched.look('16-job-dark')
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await expect(page.getByRole('row').filter({ hasText: 'failing' })).toBeVisible()
    await watched.look('17-runs-dark')
    await page
      .getByRole('row')
      .filter({ hasText: 'failing' })
      .getByRole('link', { name: /^Run for/ })
      .click()
    await expect(stateOf(page, 'run')).toHaveText('Failed')
    await watched.look('18-failed-dark')
  })

  await test.step('delete asks for the name first', async () => {
    await page.goto(`${stack.url}/demo/demo/jobs/${JOB}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${JOB}?` })
    await dialog.getByRole('textbox').fill('nightly')
    await dialog.getByRole('button', { name: 'Delete job' }).click()
    await expect(dialog.getByText('This is not its name.')).toBeVisible()
    await watched.look('19-delete', 'grown')
    await dialog.getByRole('textbox').fill(JOB)
    await dialog.getByRole('button', { name: 'Delete job' }).click()
    await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs`)
    await expect(page.getByRole('link', { name: 'failing', exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: JOB })).toHaveCount(0)
    expect((await api.call('GET', `/v1/jobs/${JOB}`)).status).toBe(404)
  })

  await test.step('sign out', async () => {
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(page).toHaveURL(/\/sign-in/)
    await page.goto(`${stack.url}/demo/demo/jobs`)
    await expect(page).toHaveURL(/\/sign-in/)
  })

  expect(watched.errors()).toEqual([])
})
