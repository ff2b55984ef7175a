// The command lines of the project's own tools (bench, sim, promise, fuzz, goldens): what they take is said by --help, and
// what they do not take in one line.

import { Command, InvalidArgumentError } from 'commander'

const wrongUsage = 2

/** A tool as `npm run` knows it. */
export const tool = (name: string, about: string): Command =>
  new Command(name)
    .usage('-- [options]')
    .description(about)
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : wrongUsage))

/** For an option that takes a whole number. */
export const whole =
  (least: number) =>
  (text: string): number =>
    checked(text, (value) => Number.isInteger(value) && value >= least, `a whole number from ${least}`)

/** For an option that takes a factor. */
export const positive = (text: string): number =>
  checked(text, (value) => Number.isFinite(value) && value > 0, 'a number above 0')

function checked(text: string, isGood: (value: number) => boolean, wanted: string): number {
  const value = Number(text)
  if (text.trim() === '' || !isGood(value)) throw new InvalidArgumentError(`Give ${wanted}.`)
  return value
}
