package io.fjordmq.broker.web;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The HTML document. It names all other files by {@code {{files}}}, which stands for a path that
 * changes with their contents, so that browsers never have to ask whether a file has changed.
 */
final class IndexPage {
  private static final String FILES = "{{files}}";

  /**
   * The import map, which browsers accept only inline, and the script that sends the first requests
   * before any file has arrived. All other scripts are files.
   */
  private static final Pattern INLINE_SCRIPT =
      Pattern.compile("<script(?: type=\"importmap\")?>(.*?)</script>", Pattern.DOTALL);

  private final String html;

  /**
   * @param template the file {@code index.html}
   * @param files the path of all other files, without a slash at the end
   */
  IndexPage(byte[] template, String files) {
    html = new String(template, StandardCharsets.UTF_8).replace(FILES, files);
  }

  byte[] html() {
    return html.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The header Content-Security-Policy: the browser loads scripts, styles and data only from this
   * node, and no page of another site can show the page in a frame.
   */
  String contentSecurityPolicy() {
    String inline =
        INLINE_SCRIPT
            .matcher(html)
            .results()
            .map(script -> " '" + hash(script.group(1)) + "'")
            .collect(Collectors.joining());
    return "default-src 'none'; script-src 'self'"
        + inline
        + "; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
        + " form-action 'none'; frame-ancestors 'none'";
  }

  private static String hash(String script) {
    byte[] digest = WebPage.sha256().digest(script.getBytes(StandardCharsets.UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }
}
