// Time, chance, ids, log. `systemWorld()` runs in real time, `simulatedWorld(seed)` in virtual time.
export * from './world.ts'
