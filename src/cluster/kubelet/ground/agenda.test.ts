import { describe, expect, it } from 'vitest'
import { Agenda, Gate, type Process, rank } from './agenda.ts'

describe('Agenda', () => {
  it('runs what is due in the order of time, then of rank', () => {
    const agenda = new Agenda(0)
    const ran: string[] = []
    agenda.at(10, rank.work, () => ran.push(`work ${agenda.now}`))
    agenda.at(10, rank.runtime, () => ran.push(`runtime ${agenda.now}`))
    agenda.at(5, rank.work, () => agenda.at(7, rank.work, () => ran.push(`nested ${agenda.now}`)))
    const cancel = agenda.at(6, rank.work, () => ran.push('never'))
    cancel()
    agenda.advance(8)
    expect(ran).toEqual(['nested 7'])
    expect(agenda.nextAt).toBe(10)
    agenda.advance(20)
    expect(ran).toEqual(['nested 7', 'runtime 10', 'work 10'])
    expect(agenda.now).toBe(20)
  })

  it('lets processes wait for time and for gates', () => {
    const agenda = new Agenda(0)
    const gate = new Gate()
    const ran: string[] = []
    function* work(): Process<string> {
      yield { ms: 3 }
      ran.push(`slept ${agenda.now}`)
      yield { ms: 100, gates: [gate] }
      ran.push(`woken ${agenda.now}`)
      yield { ms: 0 }
      return 'end'
    }
    agenda.run(work(), (result) => ran.push(result))
    agenda.at(10, rank.runtime, () => gate.open())
    agenda.advance(50)
    expect(ran).toEqual(['slept 3', 'woken 10', 'end'])
  })
})
