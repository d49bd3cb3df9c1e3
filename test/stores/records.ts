export * from '../../src/testing/store/records.js'
