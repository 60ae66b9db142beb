package io.fjordmq.broker.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.http.HttpReply;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The files of the web page as browsers get them. */
class WebPageTest {
  private static final Pattern FILE = Pattern.compile("\"(/ui/[^\"]+)\"");
  private static final Pattern PRELOAD =
      Pattern.compile("<link rel=\"modulepreload\" href=\"([^\"]+)\">");
  private static final Pattern IMPORTED =
      Pattern.compile("(?m)(?:^|;)import\\s?[^'\";]*?from\\s*['\"]([^'\"]+)['\"]");
  private static final Pattern SCRIPT = Pattern.compile("src=\"([^\"]+)\"");
  private static final Pattern STYLE = Pattern.compile("rel=\"stylesheet\" href=\"([^\"]+)\"");
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);
  private static final Pattern EARLY = Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL);
  private static final Pattern MAPPED = Pattern.compile("\"([^\"]+)\":\"(/ui/[^\"]+)\"");

  private final WebPage page = new WebPage();

  private HttpReply get(String path) {
    return page.load(path);
  }

  private String text(String path) {
    HttpReply reply = get(path);
    assertThat(reply.status()).as(path).isEqualTo(200);
    return new String(reply.body(), StandardCharsets.UTF_8);
  }

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).toList();
  }

  @Test
  void shouldReadTheFilesAtTheFirstRequest() {
    assertThat(page.findInMemory("/")).isEmpty();
    assertThat(page.load("/").status()).isEqualTo(200);
    assertThat(page.findInMemory("/")).isPresent();
  }

  @Test
  void shouldServeOnlyItsOwnPaths() {
    assertThat(page.serves("/")).isTrue();
    assertThat(page.serves("/ui/x/page.js")).isTrue();
    assertThat(page.serves("/metrics")).isFalse();
    assertThat(page.serves("/api/v5/nodes")).isFalse();
    assertThat(get("/ui/other-version/page.js").status()).isEqualTo(404);
    assertThat(get("/ui/../broker.yml").status()).isEqualTo(404);
  }

  @Test
  void shouldNameOnlyFilesThatExist() {
    List<String> files = all(FILE, text("/"));
    assertThat(files).hasSizeGreaterThan(8);
    files.forEach(this::text);
  }

  @Test
  void shouldForbidEverythingButItsOwnFiles() throws Exception {
    StringBuilder inline = new StringBuilder();
    for (String script : List.of(all(EARLY, text("/")).get(0), all(IMPORT_MAP, text("/")).get(0))) {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      inline.append(" 'sha256-" + Base64.getEncoder().encodeToString(hash) + "'");
    }
    Map<String, String> headers = get("/").headers();
    assertThat(headers.get("Content-Security-Policy"))
        .contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'")
        .contains("script-src 'self'" + inline + ";")
        .doesNotContain("unsafe");
    assertThat(headers).containsEntry("X-Content-Type-Options", "nosniff");
    assertThat(text("/")).doesNotContain("http://", "https://", " style=", " onclick=");
  }

  @Test
  void shouldLetBrowsersKeepFilesButNotTheDocument() {
    assertThat(get("/").headers()).containsEntry("Cache-Control", "no-cache").containsKey("ETag");
    HttpReply file = get(all(FILE, text("/")).get(0));
    assertThat(file.headers().get("Cache-Control")).contains("immutable", "max-age=31536000");
    assertThat(get("/ui/other-version/page.js").headers())
        .containsEntry("Cache-Control", "no-store");
  }

  @Test
  void shouldCompressItsFiles() {
    for (String path : all(FILE, text("/"))) {
      HttpReply reply = get(path);
      assertThat(reply.gzip().length).as(path).isPositive().isLessThan(reply.body().length + 100);
    }
  }

  /** Otherwise, the browser would find out about them one after the other. */
  @Test
  void shouldPreloadTheLibrariesThatItImports() {
    String index = text("/");
    String script = all(SCRIPT, index).get(0);
    Set<String> needed = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(script));
    while (!open.isEmpty()) {
      String next = open.pop();
      for (String name : all(IMPORTED, text(next))) {
        if (needed.add(resolve(next, name))) {
          open.push(resolve(next, name));
        }
      }
    }
    assertThat(new TreeSet<>(all(PRELOAD, index))).isEqualTo(needed);
  }

  @Test
  void shouldJoinItsModulesAndStyles() {
    String script = text(all(SCRIPT, text("/")).get(0));
    assertThat(script).contains("// main.js\n", "// lib/api.js\n", "// views/overview.js\n");
    assertThat(all(Pattern.compile("import\\('([^']+)'\\)"), script))
        .containsExactlyInAnyOrder("uplot", "mqtt");
    assertThat(get(all(SCRIPT, text("/")).get(0).replace("page.js", "main.js")).status())
        .isEqualTo(404);
    assertThat(text(all(STYLE, text("/")).get(0))).contains(".uplot", "--bg:", "dialog", ".tiles");
  }

  private String resolve(String module, String name) {
    if (name.startsWith(".")) {
      return URI.create(module).resolve(name).toString();
    }
    return MAPPED
        .matcher(all(IMPORT_MAP, text("/")).get(0))
        .results()
        .filter(match -> match.group(1).equals(name))
        .map((MatchResult match) -> match.group(2))
        .findFirst()
        .orElseThrow(() -> new AssertionError("index.html does not map " + name));
  }
}
