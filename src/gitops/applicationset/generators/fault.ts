// Why a generator gave nothing.

/** A generator that cannot give its parameters: told on the ApplicationSet, whose Applications stay as they are. */
export class GeneratorFault extends Error {
  override readonly name = 'GeneratorFault'
}
