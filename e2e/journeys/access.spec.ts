import { expect, test } from '../harness/test.ts'
import { signIn } from './sign-in.ts'
import { WatchedPage } from './watched-page.ts'

const LIVE = { timeout: 6_000 }

test.use({ timezoneId: 'Europe/Stockholm', locale: 'en-GB' })

test('an API key is made, shown once, used and revoked', async ({ page, stack }, { project }) => {
  const name = `billing ${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/api-keys`)
  await watched.look('31-api-keys')
  await page.getByRole('button', { name: 'New API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New API key' })
  await dialog.getByRole('button', { name: 'Make key' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('What it may do').selectOption({ label: 'Read: see jobs and runs' })
  await dialog.getByLabel('Expires').selectOption('In 30 days')
  await dialog.getByRole('button', { name: 'Make key' }).click()
  const key = (await dialog.getByRole('region', { name: 'API key' }).textContent()) ?? ''
  expect(key).toMatch(/^wk_\w+/)
  await watched.look('32-api-key-shown', 'grown')
  const call = () =>
    fetch(`http://127.0.0.1:${stack.port}/v1/jobs`, { headers: { authorization: `Bearer ${key.trim()}` } })
  expect((await call()).status).toBe(200)
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByText(key.trim())).toHaveCount(0)
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('ago', LIVE)

  await row.getByRole('button', { name: `Revoke ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row).toContainText('Revoked')
  await expect.poll(async () => (await call()).status).toBe(401)
  expect(watched.errors()).toEqual([])
})

test('a signing secret is rotated: both sign until the one before is ended', async ({
  page,
  stack,
  api,
  target,
}, { project }) => {
  const name = `signed-${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  await api.putJob(name, { cron: '0 3 * * *', url: target.url('/signed') })
  const signatures = async () => {
    const count = target.to('/signed').length + 1
    await api.trigger(name)
    const calls = await target.received(count, '/signed')
    return String(calls.at(-1)?.headers['webhook-signature']).split(' ').length
  }
  const before = await signatures()
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/signing-secrets`)
  await watched.look('33-signing-secrets')
  await page.getByRole('button', { name: 'Rotate' }).click()
  const dialog = page.getByRole('dialog', { name: 'New signing secret' })
  await dialog.getByRole('button', { name: 'Rotate now' }).click()
  await expect(dialog.getByText(/^whsec_/)).toBeVisible()
  await watched.look('34-signing-secret-shown', 'grown')
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  // A process that signs learns of a change within a moment.
  await expect.poll(signatures).toBe(before + 1)

  const old = page.getByRole('row').filter({ hasText: 'ends in' }).first()
  await expect(old).toContainText('Signs')
  await old.getByRole('button', { name: /^End/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
  await expect(page.getByRole('status', { name: 'Messages' })).toContainText('The secret has ended.')
  await expect.poll(signatures).toBe(before)
  await api.deleteJob(name)
  expect(watched.errors()).toEqual([])
})

test('the ledger tells what became of each time, and a backfill is counted before it runs', async ({
  page,
  stack,
  api,
  target,
}, { project }) => {
  const name = `ledger-${project.name}`
  const watched = await WatchedPage.watch(page, project.name)
  await api.putJob(name, { interval_minutes: 1440, from: '2026-01-01T00:00:00Z', url: target.url('/past') })
  await api.trigger(name)
  await target.received(1, '/past')
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/jobs/${name}`)
  await page.getByText('Every scheduled time with its run').click()
  const ledger = page.getByRole('region', { name: 'What became of each time' })
  await expect(ledger.getByRole('row').filter({ hasText: 'It ran and succeeded.' })).toBeVisible(LIVE)
  await watched.look('35-ledger', 'grown')

  await ledger.getByRole('button', { name: 'Backfill' }).click()
  const dialog = page.getByRole('dialog', { name: `Backfill ${name}` })
  await dialog.getByRole('button', { name: 'Count' }).click()
  await expect(dialog.getByLabel('From')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('From').fill('2026-01-01T00:00:00')
  await dialog.getByLabel('To (included)').fill('2026-01-03T12:00:00')
  await dialog.getByRole('button', { name: 'Count' }).click()
  await expect(dialog.getByText('3 without a run get one.')).toBeVisible()
  expect(target.to('/past')).toHaveLength(1)
  await watched.look('36-backfill-counted', 'grown')
  await dialog.getByRole('button', { name: 'Run 3' }).click()
  await expect(dialog).toBeHidden()
  await target.received(4, '/past')
  await api.deleteJob(name)
  expect(watched.errors()).toEqual([])
})

test('members, defaults and limits, the audit log and the history can be read and changed', async ({
  page,
  stack,
}, { project }) => {
  const email = `${project.name}@example.com`
  const watched = await WatchedPage.watch(page, project.name)
  await signIn(page, stack)
  await page.goto(`${stack.url}/demo/demo/members`)
  await expect(page.getByRole('row').filter({ hasText: stack.credentials.email })).toBeVisible()
  await watched.look('37-members')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill(email)
  await page.getByRole('dialog').getByRole('button', { name: 'Make invitation' }).click()
  const link = (await page.getByRole('region', { name: 'link of the invitation' }).textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByRole('row').filter({ hasText: email })).toBeVisible()
  await page.goto(link.trim())
  await expect(page.getByText(`You are signed in as ${stack.credentials.email}.`)).toBeVisible()
  await watched.look('38-invitation')

  await page.goto(`${stack.url}/demo/demo/settings`)
  await watched.look('39-settings')
  await page.getByLabel('Attempts').fill('99')
  await page.getByRole('button', { name: 'Save defaults' }).click()
  await expect(page.getByLabel('Attempts')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Attempts').fill('')
  await page.getByRole('button', { name: 'Save defaults' }).click()
  await expect(page.getByRole('status', { name: 'Messages' })).toContainText('The defaults are saved.')

  await page.goto(`${stack.url}/demo/demo/audit`)
  const entry = page.getByRole('listitem').filter({ hasText: 'member.invite' }).filter({ hasText: email })
  await entry.locator('summary').click()
  await expect(entry.getByText('"role": "developer"')).toBeVisible()
  await watched.look('40-audit', 'grown')
  await page.goto(`${stack.url}/demo/demo/runs?kind=pipeline`)
  await expect(page.getByLabel('Kind of jobs')).toBeVisible()
  await expect(page.getByLabel('Kind of jobs')).toHaveValue('pipeline')
  await watched.look('41-history')
  expect(watched.errors()).toEqual([])
})
