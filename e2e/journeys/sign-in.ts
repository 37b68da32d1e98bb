import { expect, type Page } from '@playwright/test'
import type { Stack } from '../harness/stack.ts'

/** Signs in with what Workly has printed, and comes to the list of jobs. */
export async function signIn(
  page: Page,
  { url, credentials }: Pick<Stack, 'url' | 'credentials'>,
): Promise<void> {
  // The form works once the page does.
  await page.goto(`${url}/sign-in`, { waitUntil: 'networkidle' })
  await page.getByLabel('E-mail address').fill(credentials.email)
  await page.getByLabel('Password').fill(credentials.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/jobs/, { timeout: 30_000 })
}
