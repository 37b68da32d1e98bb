import { expect, test } from 'vitest'
import { readCommand } from './command.ts'

const read = (line: string) => readCommand(line.split(' ').filter(word => word !== ''))

test('nothing, help and --help show what there is', () => {
  for (const line of ['', 'help', '--help', '-h', 'limits --help'])
    expect(read(line)).toEqual({ name: 'help' })
})

test('limits are listed for all, for an organization, for a project', () => {
  expect(read('limits')).toEqual({ name: 'limits list', scope: undefined })
  expect(read('limits list --organization demo')).toMatchObject({ scope: { organization: 'demo' } })
  expect(read('limits --organization demo --project main')).toMatchObject({
    name: 'limits list',
    scope: { organization: 'demo', project: 'main' },
  })
})

test('limits are set, with the verb or without', () => {
  const set = {
    name: 'limits set',
    scope: { organization: 'demo', project: undefined },
    changes: { jobs_per_organization: 20_000, host_calls_in_flight: 5 },
  }
  expect(read('limits set --organization demo jobs_per_organization=20000 host_calls_in_flight=5')).toEqual(
    set,
  )
  expect(read('limits --organization demo jobs_per_organization=20000 host_calls_in_flight=5')).toEqual(set)
})

test.each(['', '1e3', '0x10', '5 ', '1_000', 'many', '٣'])('"%s" is no number of a limit', value => {
  const command = readCommand(['limits', 'set', '--organization', 'demo', `a=${value}`])
  expect(command).toMatchObject({ changes: { a: Number.NaN } })
})

test('limits are cleared by name, or all of them', () => {
  expect(read('limits clear --organization demo a b')).toMatchObject({
    name: 'limits clear',
    keys: ['a', 'b'],
  })
  expect(read('limits clear --organization demo --all')).toMatchObject({ keys: 'all' })
})

test.each([
  ['jobs', /no command "jobs"/],
  ['limits raise', /limits raise is no command; list, set and clear are/],
  ['limits list a', /takes no "a"/],
  ['limits set a=1', /--organization/],
  ['limits set --project main a=1', /--project needs its --organization/],
  ['limits set --organization demo', /what to set/],
  ['limits set --organization demo a', /"a" is not of the form/],
  ['limits set --organization demo =1', /"=1" is not of the form/],
  ['limits set --organization demo a=1 a=2', /a is given twice/],
  ['limits set --organization demo --all a=1', /--all does not belong/],
  ['limits clear --organization demo', /which limits to clear, or --all/],
  ['limits clear --organization demo --all a', /not both/],
  ['limits --organisation demo', /Unknown option '--organisation'/],
  ['limits --organization', /--organization/],
  ['encryption', /encryption rotate/],
  ['encryption rotate now', /takes no "now"/],
  ['encryption rotate --organization demo', /--organization does not belong/],
])('"%s" is not understood, and says why', (line, why) => {
  expect(() => read(line)).toThrow(why)
  expect(() => read(line)).toThrow(expect.objectContaining({ exitCode: 2 }))
})
