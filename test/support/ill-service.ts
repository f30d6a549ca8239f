/** A service that fails in every way: as ill as the first part of the path says, by a status or a word. */
import { sendJson, startServer, type TestServer } from './http.ts';

/** With `posts` as the second part, agents are shown all the same. `unexpected`: the paths it was asked for that are no illness. */
export async function illService(): Promise<TestServer & { unexpected: string[] }> {
  const unexpected: string[] = [];
  const service = await startServer(({ path, query, body }, response) => {
    const [, ill = '', which] = path.split('/');
    if (which === 'posts' && path.endsWith('/get-agents')) {
      return sendJson(response, 200, { success: true, agents: [{ agent_id: 1, status: 'active' }], total: 1 });
    }
    if (/^\d+$/.test(ill)) {
      const issues = [{ field: 'limit', message: 'must be less' }];
      return sendJson(response, Number(ill), { success: false, error: 'as_told', message: `As told: ${ill}.`, issues });
    }
    switch (ill) {
      case 'echo':
        return sendJson(response, 400, { message: `I do not understand ${body}${query}.` });
      case 'redirect':
        return void response.writeHead(302, { location: `${service.url}/elsewhere` }).end();
      case 'cut':
        return void response.destroy();
      case 'gap':
        return sendJson(response, 200, { success: true, calls: [], total: 5, limit: 0, offset: 0 });
      case 'hang':
        return;
    }
    unexpected.push(path);
    response.destroy();
  });
  return { ...service, unexpected };
}
