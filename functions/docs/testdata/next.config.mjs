// Next.js looks for packages at no place outside this folder, which a site of the tests lies two levels below.
export default { turbopack: { root: new URL("../..", import.meta.url).pathname } };
