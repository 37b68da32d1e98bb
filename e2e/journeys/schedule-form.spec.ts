import { expect, test } from '../harness/test.ts'
import { signIn } from './sign-in.ts'
import { WatchedPage } from './watched-page.ts'

test.use({ timezoneId: 'Europe/Stockholm', locale: 'en-GB' })

test('a schedule with seconds, bounded on both sides, is previewed, made and run at once, and edited', async ({
  page,
  stack,
  api,
  target,
}, { project }) => {
  const name = `bounded-${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/new-job`, { waitUntil: 'networkidle' })
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Cron expression').fill('30 0 9 * * *')
  await expect(page.getByText('This schedule cannot be read yet.')).toBeVisible()
  await page.getByLabel('Read as').selectOption('extended')
  await expect(page.locator('time').filter({ hasText: '09:00:30' })).toHaveCount(5)

  const year = new Date().getUTCFullYear() + 1
  await page.getByLabel('Not before').fill(`${year}-03-01T00:00:00Z`)
  await page.getByLabel('Not after').fill(`${year}-03-03T12:00:00Z`)
  await expect(page.locator(`time[datetime^="${year}-03-01"]`).first()).toBeVisible()
  await expect(page.locator('time').filter({ hasText: '09:00:30' })).toHaveCount(3)
  await page.getByLabel('Not after').fill('next spring')
  await page.getByLabel('URL').fill(target.url('/bounded'))
  await page.getByLabel('Also run once').check()
  await page.getByRole('button', { name: 'Create job' }).click()
  await expect(page.getByLabel('Not after')).toHaveAttribute('aria-invalid', 'true')
  await watched.look('50-bounds-refused', 'grown')
  await page.getByLabel('Not after').fill(`${year}-03-03T12:00:00Z`)
  await page.getByRole('button', { name: 'Create job' }).click()
  await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${name}`)
  expect(await api.job(name)).toMatchObject({
    cron: '30 0 9 * * *',
    dialect: 'extended',
    from: `${year}-03-01T00:00:00Z`,
    to: `${year}-03-03T12:00:00Z`,
  })
  await target.received(1, '/bounded')
  expect((await api.runs(name)).map(run => run.trigger)).toEqual(['execute_now'])

  await page.goto(`${stack.url}/demo/demo/jobs/${name}/edit`, { waitUntil: 'networkidle' })
  await expect(page.getByLabel('Read as')).toHaveValue('extended')
  await expect(page.getByLabel('Also run once')).toHaveCount(0)
  await expect(page.getByLabel('Not before')).toHaveValue(`${year}-03-01T00:00:00Z`)
  await watched.look('51-bounds-edited', 'grown')
  await page.getByLabel('Not after').fill('')
  await expect(page.locator('time').filter({ hasText: '09:00:30' })).toHaveCount(5)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(`${stack.url}/demo/demo/jobs/${name}`)
  expect(await api.job(name)).toMatchObject({ from: `${year}-03-01T00:00:00Z`, to: null })
  await api.deleteJob(name)
  expect(watched.errors()).toEqual([])
})

test('what is not there has a page whose title says so', async ({ page, stack }) => {
  await signIn(page, stack)
  for (const path of ['jobs/no-such-job', 'runs/run_00000000000000000000000000']) {
    await page.goto(`${stack.url}/demo/demo/${path}`)
    await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible()
    await expect(page).toHaveTitle('Not found · Workly')
  }
})
