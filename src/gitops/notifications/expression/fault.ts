// What is wrong with an expression, or with what it asks of a value.

export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault'
}
