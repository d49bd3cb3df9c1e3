import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type MetadataSchema } from '../../../src/index.js'
import { type RegistrationOptions } from '../../../src/features/registration/index.js'
import { EXPRESSES, type TestOptions } from '../../support/platform.js'
import { request } from '../../support/request.js'
import {
  expectPage,
  expectPatience,
  expectRefusal,
  expectRefusedOption,
  FORM,
  GOOD,
  useRegistration,
  PATH,
  postForm,
  postJson,
} from './registration-app.js'
import { throwing } from '../../support/throwing.js'

const express = EXPRESSES['Express 5']

const FIELDS = {
  inputs: {
    company: { label: { en: 'Company', de: 'Firma' }, required: true, autocomplete: 'organization' },
    useCase: { label: 'What do you build?', type: 'textarea', hint: 'A sentence or two.', maxLength: 100 },
    billing: { label: 'Address for invoices', type: 'email' },
    website: { label: 'Website', type: 'url' },
    size: { label: 'Size', type: 'select', options: ['1-10', { value: '11+', label: { en: 'More', de: 'Mehr' } }] },
    news: { label: 'Send me news', type: 'checkbox' },
  },
} as const
const ANSWERS = {
  company: 'Acme & <b>Sons</b>',
  useCase: 'A shop.\nAnd more.',
  billing: 'billing@müller.example',
  website: 'https://acme.example/about',
  size: '11+',
  news: true,
}
const STORED = { ...ANSWERS, billing: 'billing@xn--mller-kva.example' }
const asForm = (answers: object) => [
  ...FORM,
  ...Object.entries(answers).map(([name, value]) => [`fields.${name}`, value === true ? 'on' : String(value)] as const),
]

/** A control, with single spaces. */
function findControl(page: string, name: string): string {
  const [tag = ''] = new RegExp(`<(?:input|select|textarea)[^<]* id="fields\\.${name}"[^>]*>`).exec(page) ?? []
  return tag.replaceAll(/\s+/g, ' ')
}

describe('registration.fields', () => {
  const open = (options: RegistrationOptions, others: TestOptions = {}) => {
    const opened = useRegistration(express, { registration: options, ...others })
    return { ...opened, last: async () => (await opened.list()).at(-1) }
  }

  it('shows each field with its label, its hint and what it is called by browsers', async () => {
    const { app } = open({ fields: FIELDS })
    const page = await request(app).get(PATH)
    expectPage(page)
    expect(page.text).toMatch(/<label for="fields\.company">Company<\/label>/)
    expect(findControl(page.text, 'company')).toBe(
      '<input type="text" value="" id="fields.company" name="fields.company" required autocomplete="organization" />',
    )
    expect(findControl(page.text, 'useCase')).toContain(' aria-describedby="fields.useCase-hint"')
    expect(page.text).toMatch(/What do you build\? <small>\(optional\)<\/small>/)
    expect(page.text).toMatch(/<option value="11\+"\s*>\s*More\s*<\/option>/)
    const german = await request(app).get(PATH).set('Accept-Language', 'de')
    expect(german.text).toContain('>Firma</label>')
    expect(german.text).toMatch(/<option value="11\+"\s*>\s*Mehr\s*<\/option>/)
  })

  it('stores what a form and JSON give as metadata, and nothing for what stays empty', async () => {
    const { app, last } = open({ fields: FIELDS })
    expect((await postForm(app, asForm(ANSWERS))).status).toBe(303)
    expect((await last())?.metadata).toEqual(STORED)
    expect((await postForm(app, asForm({ company: ' Acme ', useCase: ' ' }))).status).toBe(303)
    expect((await last())?.metadata).toEqual({ company: 'Acme', news: false })
    expect((await postJson(app, { ...GOOD, fields: ANSWERS })).status).toBe(202)
    expect((await last())?.metadata).toEqual(STORED)
    expect((await postJson(app, { ...GOOD, fields: { company: 'Acme' } })).status).toBe(202)
    expect((await last())?.metadata).toEqual({ company: 'Acme', news: false })
  })

  it('shows each mistake at its field, together with those of other fields, and keeps all values', async () => {
    const { app, last } = open({ fields: FIELDS })
    const wrong = {
      ...ANSWERS,
      company: '',
      useCase: 'x'.repeat(101),
      billing: 'nobody',
      website: 'javascript:alert(1)',
    }
    const page = await postForm(app, [['name', 'Tom'], ...asForm({ ...wrong, size: 'huge' }).slice(2)])
    expect(page.status).toBe(400)
    const problems = ['contact', 'fields.company', 'fields.useCase', 'fields.billing', 'fields.website', 'fields.size']
    expect([...page.text.matchAll(/<li>\s*<a href="#([\w.]+)">/g)].map(([, id]) => id)).toEqual(problems)
    for (const id of problems) expect(page.text).toContain(`id="${id}-problem">`)
    expect(page.text).toContain(`${'x'.repeat(101)}</textarea>`)
    expect(page.text).toContain('value="nobody"')
    expect(findControl(page.text, 'news')).toContain(' checked ')
    expect(await last()).toBeUndefined()
  })

  it.each([
    ['nothing', {}, /Company/],
    ['a number', { company: 7 }, /Company/],
    ['a list', { company: ['Acme', 'Acme'] }, /Company/],
    ['a line break', { company: 'Acme\nBcc: x' }, /control characters/],
    ['a NUL', { company: 'Acme\0' }, /control characters/],
    ['a lone surrogate', { company: 'Acme \uD800' }, /control characters/],
    ['a text that runs backwards', { company: 'Acme \u202Eemca' }, /hidden characters/],
    ['nothing visible', { company: '\u200B' }, /hidden characters/],
    ['too much', { company: 'x'.repeat(201) }, /at most 200 characters/],
    ['a text for a checkbox', { company: 'Acme', news: 'yes' }, /news/],
    ['a value that is none of the options', { company: 'Acme', size: 'constructor' }, /Size/],
    ['a web address with a password', { company: 'Acme', website: 'https://a:b@acme.example' }, /web address/],
    ['a web address without a host name', { company: 'Acme', website: 'http://[::1]/' }, /web address/],
    ['a field that is not asked for', { company: 'Acme', discount: 100 }, /fields must be an object with company, /],
    ['a prototype', JSON.parse('{"company":"Acme","__proto__":{"discount":100}}'), /fields must be an object/],
    ['fields that are a list', ['Acme'], /fields must be an object/],
    ['fields that are null', null, /fields must be an object/],
  ])('R22: refuses %s in JSON with 400', async (_, fields, says) => {
    const { app, last } = open({ fields: FIELDS })
    const answer = await postJson(app, { ...GOOD, fields })
    expect(answer.status).toBe(400)
    expectRefusal(answer, 'invalid_request', says)
    expect(await last()).toBeUndefined()
  })

  it('R22: refuses more than metadata can have, also in many bytes per character', async () => {
    const inputs = Object.fromEntries(['a', 'b'].map((each) => [each, { label: each, maxLength: 1000 }]))
    const { app } = open({ fields: { inputs } })
    const page = await postForm(app, asForm({ a: '字'.repeat(900), b: '字'.repeat(600) }))
    expect(page.status).toBe(400)
    expect(page.text).toContain('All your answers together are too long.')
    expect((await postForm(app, asForm({ a: '字'.repeat(900), b: '字'.repeat(300) }))).status).toBe(303)
  })

  it('R4: refuses a field that is given twice', async () => {
    const { app } = open({ fields: FIELDS })
    const page = await postForm(app, [...asForm(ANSWERS), ['fields.company', 'Another']])
    expect(page.status).toBe(400)
    expect(page.text).toContain('The field fields.company must be given once.')
  })

  describe('with a schema', () => {
    const schema = z
      .object({
        company: z.string().transform((text) => text.toUpperCase()),
        useCase: z.string().min(10, 'Tell us more.').optional(),
        news: z.boolean(),
      })
      .refine(({ company, useCase }) => company !== useCase, 'Both are the same.')
    const { company, useCase, news } = FIELDS.inputs
    const fields = { inputs: { company, useCase, news }, schema }

    it('stores what the schema made of the values', async () => {
      const { app, last } = open({ fields })
      expect((await postForm(app, asForm({ company: 'Acme' }))).status).toBe(303)
      expect((await last())?.metadata).toEqual({ company: 'ACME', news: false })
    })

    it('R22: shows its messages at the fields that they are about, or above the form', async () => {
      const { app } = open({ fields })
      const page = await postForm(app, asForm({ company: 'Acme', useCase: '<i>' }))
      expect(page.status).toBe(400)
      expectPage(page)
      expect(page.text).toContain('id="fields.useCase-problem">What do you build?: Tell us more.')
      const both = await postForm(app, asForm({ company: 'THE SAME ONE', useCase: 'THE SAME ONE' }))
      expect(both.text).toMatch(/<li>Both are the same\.<\/li>/)
      expectRefusal(
        await postJson(app, { ...GOOD, fields: { company: 'Acme', useCase: 'short' } }),
        'invalid_request',
        /Tell us more/,
      )
    })

    it('R22: the schema of the platform judges too, alone or after that of the fields', async () => {
      const metadata = z.object({ company: z.string().max(3, 'At most three.'), news: z.boolean() })
      const alone = open({ fields: { inputs: { company, news } } }, { metadata: metadata as MetadataSchema })
      const page = await postForm(alone.app, asForm({ company: 'Acme' }))
      expect(page.text).toContain('id="fields.company-problem">Company: At most three.')
      expect((await postForm(alone.app, asForm({ company: 'Ac' }))).status).toBe(303)
      const both = open({ fields }, { metadata: metadata as MetadataSchema })
      const again = await postForm(both.app, asForm({ company: 'Acme' }))
      expect([again.status, again.text]).toEqual([400, expect.stringContaining('metadata.company: At most three.')])
    })

    it.each([
      ['throws', throwing(new Error('no table')), 500, /no table/],
      ['rejects', () => Promise.reject(new Error('no table')), 500, /no table/],
      [
        'makes no JSON',
        (given: unknown) => (isEmpty(given) ? { issues: [] } : { value: { at: new Date() } }),
        500,
        /schema of the option registration\.fields\.schema has accepted a value.*metadata\.at is a Date/,
      ],
    ] as const)('R22: registers nothing if it %s', async (_, validate, status, logged) => {
      const broken = { '~standard': { version: 1, vendor: 'test', validate } } as MetadataSchema
      const { app, logger, last } = open({ fields: { inputs: { company }, schema: broken } })
      expect((await postForm(app, asForm({ company: 'Acme' }))).status).toBe(status)
      expect(await last()).toBeUndefined()
      expect(logger.lines.join('\n')).toMatch(logged)
    })

    it('R22: makes what the schema of the platform makes of the values a mistake of the operator, too', async () => {
      const validate = (given: unknown) => (isEmpty(given) ? { issues: [] } : { value: { at: new Date() } })
      const metadata = { '~standard': { version: 1, vendor: 'test', validate } } as MetadataSchema
      const { app, logger, last } = open({ fields: { inputs: { company } } }, { metadata })
      expect((await postForm(app, asForm({ company: 'Acme' }))).status).toBe(500)
      expect(await last()).toBeUndefined()
      expect(logger.lines.join('\n')).toMatch(/option metadata has accepted a value.*metadata\.at is a Date/)
    })

    it('is refused at the start if it makes no JSON of nothing', () => {
      const validate = () => ({ value: { at: new Date() } })
      const schema = { '~standard': { version: 1, vendor: 'test', validate } } as MetadataSchema
      const message = /makes no JSON of \{\}: metadata\.at is a Date.*Let the schema return/
      expect(() => open({ fields: { inputs: { company }, schema } })).toThrow(message)
      expect(() => open({}, { metadata: schema })).toThrow(message)
    })

    it('R22: answers 503 if it does not answer within 5 seconds', async () => {
      let asked = 0
      const silent = { '~standard': { version: 1, vendor: 'test', validate: () => new Promise(() => void asked++) } }
      const opened = open({ fields: { inputs: { company }, schema: silent as MetadataSchema } })
      // Once at the start, and once for the request.
      await expectPatience(
        opened,
        () => postForm(opened.app, asForm({ company: 'Acme' })),
        () => asked === 2,
      )
    })
  })

  it('registration.allow gets the values that would be stored', async () => {
    const allow = vi.fn<() => boolean>(() => true)
    const { app } = open({ fields: FIELDS, allow })
    await postJson(app, { ...GOOD, fields: ANSWERS })
    expect(allow).toHaveBeenCalledWith(expect.objectContaining({ metadata: STORED }), expect.anything())
  })

  it('does not ask auth.registration.register(), whose caller gives metadata', async () => {
    const { auth, last } = open({ fields: FIELDS })
    await auth.registration.register({ ...GOOD, apis: ['catalog'], metadata: { discount: 1 } })
    expect((await last())?.metadata).toEqual({ discount: 1 })
  })
})

it.each([
  [{}, 'inputs'],
  [{ inputs: {} }, 'inputs'],
  [{ inputs: { 'a b': { label: 'A' } } }, 'inputs.a b'],
  [{ inputs: { a: {} } }, 'inputs.a.label'],
  [{ inputs: { a: { label: 'two\nlines' } } }, 'inputs.a.label'],
  [{ inputs: { a: { label: { xx: 'A' } } } }, 'inputs.a.label.xx'],
  [{ inputs: { a: { label: 'A', hint: '' } } }, 'inputs.a.hint'],
  [{ inputs: { a: { label: 'A', type: 'password' } } }, 'inputs.a.type'],
  [{ inputs: { a: { label: 'A', required: 1 } } }, 'inputs.a.required'],
  [{ inputs: { a: { label: 'A', autocomplete: 'on"' } } }, 'inputs.a.autocomplete'],
  [{ inputs: { a: { label: 'A', maxLength: 0 } } }, 'inputs.a.maxLength'],
  [{ inputs: { a: { label: 'A', maxLength: 5000 } } }, 'inputs.a.maxLength'],
  [{ inputs: { a: { label: 'A', options: ['1'] } } }, 'inputs.a.options'],
  [{ inputs: { a: { label: 'A', type: 'select' } } }, 'inputs.a.options'],
  [{ inputs: { a: { label: 'A', type: 'select', options: ['1', '1'] } } }, 'inputs.a.options'],
  [{ inputs: { a: { label: 'A', type: 'select', options: [' 1'] } } }, 'inputs.a.options[0]'],
  [{ inputs: { a: { label: 'A', pattern: 'x' } } }, 'inputs.a.pattern'],
  [{ inputs: { a: { label: 'A' } }, schema: {} }, 'schema'],
])('refuses registration.fields %j by name', (fields, option) => {
  expectRefusedOption({ fields }, `fields.${option}`)
})

function isEmpty(given: unknown): boolean {
  return Object.keys(given as object).length === 0
}
