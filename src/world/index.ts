// Time, chance, ids, log. `systemWorld()` runs in real time, `simulatedWorld(seed)` in virtual time.
export * from './log.ts'
export { seededRandom } from './random.ts'
export * from './simulated.ts'
export { RestlessFault } from './simulated-clock.ts'
export * from './system.ts'
export * from './world.ts'
