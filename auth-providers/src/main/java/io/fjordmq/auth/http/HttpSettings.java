package io.fjordmq.auth.http;

import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import io.fjordmq.auth.connection.PlaintextWarning;
import io.fjordmq.auth.tls.PemContext;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The requests to a service.
 *
 * @param url can contain placeholders after the host
 * @param post whether parameters are sent in the body of a POST; otherwise in the query of a GET
 * @param json whether the body is a JSON object; otherwise a form
 * @param parameters names and values of the parameters
 * @param headers names and values of additional headers
 * @param emqx4 whether only the status of the response counts, as in EMQX 4
 * @param maxResponseBytes a longer response is an error
 * @param provider the settings of the provider
 */
record HttpSettings(
    Template url,
    boolean post,
    boolean json,
    Map<String, Template> parameters,
    Map<String, Template> headers,
    boolean emqx4,
    Duration timeout,
    int maxResponseBytes,
    ProviderSettings provider) {

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("url"),
          ProviderKey.value("method"),
          ProviderKey.value("mode"),
          ProviderKey.value("contentType"),
          ProviderKey.map("body"),
          ProviderKey.map("headers"),
          ProviderKey.value("maxResponseBytes"),
          ProviderKey.value("trustFile"),
          ProviderKey.value("certFile"),
          ProviderKey.value("keyFile"));

  /** The letters that can follow {@code %} in EMQX 4. */
  private static final String LETTERS = "ucPartACd";

  private static final Map<String, String> LOGIN =
      Map.of("clientid", "${clientid}", "username", "${username}", "password", "${password}");
  private static final Map<String, String> LOGIN_4 =
      Map.of("clientid", "%c", "username", "%u", "password", "%P");
  private static final Map<String, String> ACTION =
      Map.of(
          "clientid", "${clientid}",
          "username", "${username}",
          "action", "${action}",
          "topic", "${topic}");
  private static final Map<String, String> ACTION_4 =
      Map.of("access", "%A", "username", "%u", "clientid", "%c", "ipaddr", "%a", "topic", "%t");

  static HttpSettings of(ProviderSettings settings, boolean forActions) {
    boolean emqx4 = settings.oneOf("mode", "emqx5", "emqx4").equals("emqx4");
    boolean post = settings.oneOf("method", "post", "get").equals("post");
    String type = settings.oneOf("contentType", emqx4 ? "form" : "json", emqx4 ? "json" : "form");
    Map<String, String> body = settings.map("body");
    if (body.isEmpty()) {
      body = forActions ? (emqx4 ? ACTION_4 : ACTION) : (emqx4 ? LOGIN_4 : LOGIN);
    }
    String url = settings.text("url");
    hostOf(settings, url);
    HttpSettings service =
        new HttpSettings(
            settings.template("url", url, ""),
            post,
            type.equals("json"),
            templates(settings, "body", body),
            templates(settings, "headers", settings.map("headers")),
            emqx4,
            settings.duration(
                "timeout", Duration.ofSeconds(5), Duration.ofMillis(10), Duration.ofHours(1)),
            settings.number("maxResponseBytes", 65_536, 256, 16 << 20),
            settings);
    PemContext.of(settings); // reports an invalid file
    service.checkPlaceholders(settings, forActions);
    return service;
  }

  /** Logs a warning if requests to another host are not encrypted. */
  void warnIfPlain() {
    PlaintextWarning.warnIfRemote(provider, "url", hostOf(provider, provider.text("url")));
  }

  /**
   * Returns the URL up to the path, which must not contain placeholders: a host that a client could
   * choose would receive passwords of other clients.
   */
  private static URI hostOf(ProviderSettings settings, String url) {
    int path = url.indexOf('/', url.indexOf("://") + 3);
    String base = path < 0 ? url : url.substring(0, path);
    try {
      URI uri = new URI(base);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if ((scheme.equals("http") || scheme.equals("https"))
          && uri.getHost() != null
          && uri.getUserInfo() == null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw settings.invalid("url", "http://HOST:PORT/PATH or https://HOST:PORT/PATH", base);
    }
    throw settings.invalid(
        "url", "http://HOST:PORT/PATH or https://HOST:PORT/PATH without a user", base);
  }

  private static Map<String, Template> templates(
      ProviderSettings settings, String key, Map<String, String> values) {
    Map<String, Template> templates = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> templates.put(name, settings.template(key + "." + name, value, LETTERS)));
    return templates;
  }

  private void checkPlaceholders(ProviderSettings settings, boolean forActions) {
    Map<String, Template> all = new LinkedHashMap<>();
    parameters.forEach((name, template) -> all.put("body." + name, template));
    headers.forEach((name, template) -> all.put("headers." + name, template));
    all.put("url", url);
    all.forEach(
        (key, template) -> {
          for (Placeholder one : template.placeholders()) {
            if (one.kind().ofAction() && !forActions) {
              throw new IllegalArgumentException(
                  settings.path()
                      + "."
                      + key
                      + ": "
                      + one
                      + " is not available during authentication");
            }
            if (one.kind() == Placeholder.Kind.PASSWORD && forActions) {
              throw new IllegalArgumentException(
                  settings.path()
                      + "."
                      + key
                      + ": the password is only available during authentication");
            }
          }
        });
    headers.keySet().stream()
        .filter(name -> !name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"))
        .findFirst()
        .ifPresent(
            name -> {
              throw settings.invalid("headers", "names of HTTP headers", name);
            });
  }
}
