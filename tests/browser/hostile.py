"""Texts that try to act on a page, and how acting is counted."""

RTL, POP, ZERO = "\u202e", "\u2069", "\u200b"

HOSTILE = [
    "Acme <script>document.title='owned'</script> up",
    "<ScRiPt src=//evil.invalid/x.js></sCrIpT>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<img src=https://evil.invalid/pixel.png>",
    "<svg onload=\"document.title='owned'\"></svg>",
    "<svg><script>document.title='owned'</script></svg>",
    "<svg><animate onbegin=\"document.title='owned'\" attributeName=x dur=1s></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg></svg>#x'/></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>parent.document.title=1</script>'></foreignObject></svg>",
    "<iframe src=\"javascript:parent.document.title='owned'\"></iframe>",
    "<iframe srcdoc=\"<img src=x onerror=parent.document.title='owned'>\"></iframe>",
    "<object data=data:text/html,<script>1</script>></object>",
    "<embed src=//evil.invalid/x.swf>",
    "<a href=\"javascript:document.title='owned'\">click</a>",
    "<a href=https://evil.invalid/>a report</a>",
    "[a report](https://evil.invalid/) ![chart](https://evil.invalid/p.png)",
    "https://evil.invalid/?q=1 www.evil.invalid mailto:a@evil.invalid",
    "<form action=https://evil.invalid/><button>ok</button></form>",
    "<input autofocus onfocus=\"document.title='owned'\">",
    "<details open ontoggle=\"document.title='owned'\">x</details>",
    "<video><source onerror=\"document.title='owned'\"></video>",
    "<body onload=\"document.title='owned'\">",
    "<style>body{display:none}</style>",
    "<style>@import 'https://evil.invalid/x.css';</style>",
    "<link rel=stylesheet href=https://evil.invalid/x.css>",
    '<div style="background:url(https://evil.invalid/x)">x</div>',
    "<div style=position:fixed;inset:0;background:red>x</div>",
    '<meta http-equiv=refresh content="0;url=https://evil.invalid/">',
    "<base href=https://evil.invalid/>",
    "</p></dd></details></section></main><script>document.title='owned'</script>",
    "</title></style></textarea></script><img src=x onerror=\"document.title='owned'\">",
    "--><!-- <script>document.title='owned'</script> -->",
    '" onmouseover="document.title=\'owned\'" x="',
    "' onfocus='document.title=1' tabindex='0' autofocus x='",
    "&lt;script&gt;document.title='owned'&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
    "{{ 7 * 7 }} {% include 'base.html' %} ${7*7} {{ self.__init__ }}",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    f"up {RTL}nwod 5{POP} {ZERO}buy",
    "\x1b[31mred\x1b[0m \x07 line\u2028two\u2029three",
    '<template><img src=x onerror=alert(1)></template><noscript><p title="</noscript><img src=x onerror=alert(1)>">',
]

ACTIVE = """() => {
  const found = [];
  const own = new Set([document.querySelector("head > style"), document.querySelector("body > script")]);
  const tags = "script style iframe object embed img video audio source link base template noscript foreignObject "
    + "animate set use image textarea applet frame math portal";
  for (const one of document.querySelectorAll("*")) {
    const name = one.localName;
    if (tags.split(" ").includes(name) && !own.has(one)) found.push(name);
    if (name === "meta" && /refresh/i.test(one.httpEquiv)) found.push("refresh");
    if (name === "form" && one.hasAttribute("action")) found.push("action");
    for (const { name: key, value } of one.attributes) {
      if (/^on/i.test(key) || ["style", "src", "srcdoc", "formaction", "ping", "autofocus"].includes(key)) found.push(key);
      if (/href$/i.test(key) && !value.startsWith("#")) found.push(value);
    }
  }
  return found;
}"""
"""Nodes and attributes that could run, load or lead somewhere, those of the page itself left out."""
