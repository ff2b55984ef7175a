// The kinds: their names, types, schema and rules. Knows no server, no store and no transport.
export * from './descriptions.ts'
export * from './field-error.ts'
export { definitionsText } from './generated/definitions.ts'
export * from './generated/resources.ts'
export * from './generated/types.ts'
export {
  AutoscalingV2HorizontalPodAutoscaler as HorizontalPodAutoscaler,
  CoreV1Event as Event,
} from './generated/types.ts'
export * from './kind.ts'
export * from './placement/index.ts'
export * from './registry.ts'
export * from './resource-info.ts'
export * from './schema/index.ts'
