package io.fjordmq.broker.web;

import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.broker.http.WebFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of the web page, from the jar of the broker and from WebJars. They are read and
 * compressed at the first request, because most nodes never get one, and then stay in memory (about
 * 1 MB). Thread-safe.
 *
 * <p>All files except the HTML document have a path that contains a hash of all contents. Browsers
 * therefore cache them permanently, and a browser never mixes the files of two versions.
 */
public final class WebPage implements WebFiles {
  private static final String ROOT = "/";
  private static final String FILES = "/ui/";
  private static final String FOLDER = "web";
  private static final String VENDOR = "vendor/";
  private static final String INDEX = "index.html";
  private static final String MAIN = "main.js";
  private static final String SCRIPT = "page.js";
  private static final String STYLE = "page.css";

  /** Later files override earlier ones. */
  private static final List<String> STYLES =
      List.of("vendor/uplot.css", "style/base.css", "style/components.css", "style/views.css");

  private static final int HASH_DIGITS = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "txt", "text/plain; charset=utf-8");

  private static final HttpReply MISSING =
      new HttpReply(
          NOT_FOUND,
          "text/plain; charset=utf-8",
          Map.of("Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"),
          "not found: the node has another version of the web page; reload it\n"
              .getBytes(StandardCharsets.UTF_8));

  private volatile @Nullable Map<String, HttpReply> replies;

  @Override
  public boolean serves(String path) {
    return path.equals(ROOT) || path.startsWith(FILES);
  }

  @Override
  public Optional<HttpReply> findInMemory(String path) {
    Map<String, HttpReply> read = replies;
    return read == null ? Optional.empty() : Optional.of(read.getOrDefault(path, MISSING));
  }

  @Override
  public synchronized HttpReply load(String path) {
    Map<String, HttpReply> read = replies;
    if (read == null) {
      try {
        read = read();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read the files of the web page", e);
      }
      replies = read;
    }
    return read.getOrDefault(path, MISSING);
  }

  private static Map<String, HttpReply> read() throws IOException {
    SortedMap<String, byte[]> files = PackagedFiles.read(WebPage.class, FOLDER);
    for (WebLibrary library : WebLibrary.ALL) {
      files.put(library.path(), library.read());
    }
    byte[] template = files.get(INDEX);
    if (template == null) {
      throw new IOException("the jar of the broker has no " + FOLDER + "/" + INDEX);
    }
    String folder = FILES + hash(files);
    files.remove(INDEX);
    join(files);
    Map<String, HttpReply> replies = new HashMap<>();
    files.forEach((path, content) -> replies.put(folder + "/" + path, file(path, content)));
    replies.put(ROOT, document(new IndexPage(template, folder)));
    return Map.copyOf(replies);
  }

  /** Replaces the modules of the page by one, and its style sheets by one. */
  private static void join(SortedMap<String, byte[]> files) {
    Map<String, String> modules = new HashMap<>();
    files.forEach(
        (path, content) -> {
          if (path.endsWith(".js") && !path.startsWith(VENDOR)) {
            modules.put(path, new String(content, StandardCharsets.UTF_8));
          }
        });
    StringBuilder style = new StringBuilder();
    STYLES.forEach(path -> style.append(new String(files.get(path), StandardCharsets.UTF_8)));
    files.keySet().removeAll(modules.keySet());
    files.keySet().removeIf(path -> path.startsWith("style/"));
    files.put(SCRIPT, JoinedModules.join(modules, MAIN).getBytes(StandardCharsets.UTF_8));
    files.put(STYLE, style.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static HttpReply document(IndexPage page) {
    Map<String, String> headers =
        Map.of(
            "Cache-Control", "no-cache",
            "Content-Security-Policy", page.contentSecurityPolicy(),
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY");
    return reply(INDEX, page.html(), headers);
  }

  private static HttpReply file(String path, byte[] content) {
    return reply(
        path,
        content,
        Map.of(
            "Cache-Control", "public, max-age=31536000, immutable",
            "Cross-Origin-Resource-Policy", "same-origin",
            "X-Content-Type-Options", "nosniff"));
  }

  private static HttpReply reply(String path, byte[] content, Map<String, String> headers) {
    Map<String, String> all = new HashMap<>(headers);
    // Weak, because the compressed and the uncompressed response have the same tag.
    String digits = HexFormat.of().formatHex(sha256().digest(content)).substring(0, HASH_DIGITS);
    all.put("ETag", "W/\"" + digits + "\"");
    String extension = path.substring(path.lastIndexOf('.') + 1);
    String type = CONTENT_TYPES.getOrDefault(extension, "text/plain; charset=utf-8");
    return new HttpReply(OK, type, Map.copyOf(all), content).withGzip();
  }

  private static String hash(SortedMap<String, byte[]> files) {
    MessageDigest digest = sha256();
    files.forEach(
        (path, content) -> {
          digest.update((path + "\0" + content.length + "\0").getBytes(StandardCharsets.UTF_8));
          digest.update(content);
        });
    return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_DIGITS);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
