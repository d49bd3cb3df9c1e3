import { JSDOM } from 'jsdom'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { expectPage, PATH, postForm, useRegistration } from './registration-app.js'

const express = EXPRESSES['Express 5']

describe('The registration form', () => {
  const { app, auth } = useRegistration(express)
  beforeAll(() => auth.ready())

  /** Sends the form and reads the page that answers it. */
  async function send(fields: Record<string, string | readonly string[]>) {
    const pairs = Object.entries(fields).flatMap(([field, value]) =>
      [value].flat().map((each) => [field, each] as const),
    )
    const answer = await postForm(app, pairs)
    expectPage(answer)
    return { status: answer.status, ...readForm(answer.text) }
  }

  function readForm(text: string) {
    const { document } = new JSDOM(text).window
    const describeField = (selector: string) => {
      const field = document.querySelector<HTMLInputElement>(selector)!
      const problem = document.getElementById(field.getAttribute('aria-describedby') ?? '')
      return { invalid: field.getAttribute('aria-invalid'), problem: problem?.textContent }
    }
    const boxes = [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
    return {
      title: document.title,
      values: {
        name: document.querySelector<HTMLInputElement>('#name')!.value,
        contact: document.querySelector<HTMLInputElement>('#contact')!.value,
        apis: boxes.filter(({ checked }) => checked).map(({ value }) => value),
      },
      name: describeField('#name'),
      contact: describeField('#contact'),
      apis: describeField('#apis'),
      areBoxesInvalid: boxes.every((box) => box.getAttribute('aria-invalid') === 'true'),
      alert: document.querySelector('[role=alert]')?.textContent.trim().replaceAll(/\s+/g, ' '),
      focused: [...document.querySelectorAll('[autofocus]')].map((each) => each.getAttribute('role') ?? each.id),
      links: [...document.querySelectorAll('[role=alert] a')].map((link) => link.getAttribute('href')),
      labels: [...document.querySelectorAll('label[for]')].map((label) => label.getAttribute('for')),
    }
  }

  const FINE = { invalid: null, problem: undefined }

  it('R1: has a label for each field, and no mistake yet', async () => {
    const form = readForm((await request(app).get(PATH).expect(200)).text)
    expect(form).toMatchObject({
      title: 'Register an application',
      labels: ['name', 'contact', 'language'],
      alert: undefined,
    })
    expect([form.name, form.contact, form.apis]).toEqual([FINE, FINE, FINE])
  })

  it('R7: shows every mistake at its field at once, in plain words, and says so in the title and an alert', async () => {
    const form = await send({ name: '', contact: '' })
    expect(form).toMatchObject({
      status: 400,
      title: 'Error: Register an application',
      name: { invalid: 'true', problem: 'Enter a name.' },
      contact: { invalid: 'true', problem: 'Enter an e-mail address.' },
      apis: { problem: 'Choose at least one API.' },
      areBoxesInvalid: true,
      focused: ['alert'],
      links: ['#name', '#contact', '#apis'],
    })
    expect(form.alert).toMatch(/^Your application has not been registered yet\. ?Enter a name\./)
  })

  it.each([
    ['name', 'two\nlines', /^Enter a name of up to 100 characters/],
    ['name', 'Verify at https://evil.example', /without anything like a web address \(example\.com, Node\.js\)\.$/],
    ['contact', 'a@customer.example, b@customer.example', /^Enter one e-mail address/],
    ['contact', 'root@localhost', /reached from the internet/],
    ['apis', ['payroll', 'catalog'], /^Choose only from these APIs\.$/],
    ['apis', '<script>alert(1)</script>', /^Choose only from these APIs\.$/],
  ])('R5, R7: keeps all values if only %s is wrong: %j', async (field, value, says) => {
    const good = { name: 'Tom & "Jerry" <b>', contact: 'dev@customer.example', apis: ['orders', 'weather'] }
    const form = await send({ ...good, [field]: value })
    const { [field as 'name']: wrong, ...others } = { name: form.name, contact: form.contact, apis: form.apis }
    expect(form.status).toBe(400)
    expect(wrong?.problem).toMatch(says)
    expect(Object.values(others)).toEqual([FINE, FINE])
    expect([form.alert, form.focused]).toEqual([undefined, [field]])
    const shown = field === 'apis' ? [value].flat().filter((api) => api === 'catalog') : value
    expect(form.values).toEqual({ ...good, [field]: typeof shown === 'string' ? shown.replace('\n', '') : shown })
  })
})
