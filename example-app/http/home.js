// @ts-check
import { html, sendPage } from './page.js'

/**
 * Lists what the platform has: as a page for browsers, as JSON for programs.
 * @param {import('../platform.js').Platform} auth
 * @param {{ baseUrl: string, mailbox: import('../mail/mailbox.js').Mailbox | undefined }} options
 * @returns {import('express').RequestHandler}
 */
export function home({ apis }, { baseUrl, mailbox }) {
  const welcome = 'The platform of a tea and coffee shop.'
  const links = {
    developers: `${baseUrl}/developers/`,
    applications: `${baseUrl}/developers/applications`,
    ...(mailbox && { mailbox: `${baseUrl}/mailbox` }),
    health: `${baseUrl}/health`,
  }
  const page = html`<p>${welcome}</p>
    <ul>
      <li>
        <a href="${links.developers}">For developers</a>: its APIs, and how to register an application that calls them
      </li>
      <li>
        <a href="${links.applications}">Your applications</a>: their credentials, requests and refusals, once they are
        registered
      </li>
      ${links.mailbox ? html`<li><a href="${links.mailbox}">Mailbox</a>: the e-mails with credentials, kept on this machine</li>` : ''}
      <li><a href="${links.health}">Health</a></li>
    </ul>`
  return function sendHome(_req, res) {
    res.format({
      json: () => void res.json({ welcome, apis, ...links }),
      html: () => sendPage(res, 'Tea and coffee', page),
    })
  }
}
