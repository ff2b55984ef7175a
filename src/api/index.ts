// The contract: ApiRequest, ApiResponse, WatchEvent, ApiError, ApiHandler. Knows no kinds and no transport.
export * from './error.ts'
export * from './refusal.ts'
export * from './request.ts'
export * from './session.ts'
