export * from '../../src/tools/testing/store/records.js'
