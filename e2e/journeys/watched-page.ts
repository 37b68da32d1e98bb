import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Above this people see a page jump (Web Vitals' bound of "good" for the cumulative layout shift). */
const MOST_LAYOUT_SHIFT = 0.1

declare global {
  interface Window {
    layoutShift?: number
    isSamePage?: true
  }
}

/** A page whose faults are kept: errors in its console, jumps, what axe finds, what does not fit its width. */
export class WatchedPage {
  readonly page: Page
  readonly #shots: string
  readonly #errors: string[] = []

  private constructor(page: Page, shots: string) {
    this.page = page
    this.#shots = shots
    page.on('pageerror', error => this.#errors.push(String(error)))
    page.on('console', message => {
      // Refused answers show as errors of the browser's own; the page tells the reader of them.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.#errors.push(message.text())
    })
  }

  /** @param shots the beginning of the screenshots' names */
  static async watch(page: Page, shots: string): Promise<WatchedPage> {
    await page.addInitScript(() => {
      window.layoutShift = 0
      new PerformanceObserver(list => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number
          hadRecentInput: boolean
        })[]) {
          if (!entry.hadRecentInput) window.layoutShift = (window.layoutShift ?? 0) + entry.value
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    return new WatchedPage(page, shots)
  }

  /**
   * Takes a picture of the whole page and holds it against the rules.
   *
   * @param since `grown` where something has come or gone since the page was loaded: then what is below moves rightly
   */
  async look(name: string, since: 'loaded' | 'grown' = 'loaded'): Promise<void> {
    await test.step(`look at ${name}`, async () => {
      await this.page.evaluate(() => window.scrollTo(0, 0))
      await this.page.screenshot({
        path: new URL(`../.shots/${this.#shots}-${name}.png`, import.meta.url).pathname,
        fullPage: true,
        animations: 'disabled',
      })
      const { violations } = await new AxeBuilder({ page: this.page }).withTags(WCAG).analyze()
      const found = violations.map(
        ({ id, impact, nodes }) =>
          `${impact} ${id}: ${nodes.map(node => node.html.slice(0, 200)).join(' | ')}`,
      )
      expect.soft(found, `axe on ${name}`).toEqual([])
      const width = await this.page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ])
      expect.soft(width[0], `${name} fits the width`).toBeLessThanOrEqual(width[1] ?? 0)
      const shift = await this.page.evaluate(() => window.layoutShift ?? 0)
      if (since === 'loaded') expect.soft(shift, `${name} does not jump`).toBeLessThan(MOST_LAYOUT_SHIFT)
    })
  }

  /** Marks the page, so that {@link isSamePage} can tell whether it was loaded anew. */
  async mark(): Promise<void> {
    await this.page.evaluate(() => {
      window.isSamePage = true
    })
  }

  async isSamePage(): Promise<boolean> {
    return this.page.evaluate(() => window.isSamePage === true)
  }

  /** What went wrong in the browser so far. */
  errors(): string[] {
    return this.#errors
  }
}
