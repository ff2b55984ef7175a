// A template that cannot be parsed or executed: one line, as Go's text/template says it where it says it well.

export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
}
