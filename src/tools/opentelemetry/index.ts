export { observe, type MeterProviderLike, type ObserveOptions, type TracerProviderLike } from './observe.js'
