package io.fjordmq.auth;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityFiles;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.security.UserSource;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The authentication and authorization of a broker with some providers. */
public final class Chain implements AutoCloseable {
  private final Security security;

  private Chain(Security security) {
    this.security = security;
  }

  /** Returns the settings of a provider from alternating keys and values. */
  public static Map<String, String> provider(String... keysAndValues) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return values;
  }

  private static SortedMap<Integer, ProviderEntry> entries(
      ProviderEntry.Chain chain, List<Map<String, String>> providers) {
    SortedMap<Integer, ProviderEntry> entries = new TreeMap<>();
    for (Map<String, String> values : providers) {
      entries.put(
          entries.size(),
          new ProviderEntry(chain, entries.size(), values.getOrDefault("type", ""), values));
    }
    return entries;
  }

  private static SecuritySettings settings(
      List<Map<String, String>> authentication, List<Map<String, String>> authorization) {
    return SecuritySettings.DEFAULTS.withProviders(
        entries(ProviderEntry.Chain.AUTHENTICATION, authentication),
        entries(ProviderEntry.Chain.AUTHORIZATION, authorization));
  }

  /** Returns what `check` would report. */
  public static List<String> problems(
      List<Map<String, String>> authentication, List<Map<String, String>> authorization) {
    return SecurityFiles.problems(settings(authentication, authorization), Map.of());
  }

  /** Opens the chain. */
  public static Chain open(
      List<Map<String, String>> authentication, List<Map<String, String>> authorization) {
    try {
      return new Chain(
          Security.open(
              settings(authentication, authorization),
              List.of(),
              UserSource.NONE,
              SecurityObserver.NONE));
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }

  public Security security() {
    return security;
  }

  /** A CONNECT over TCP. */
  public static ConnectAttempt attempt(
      String clientId, @Nullable String userName, @Nullable String password) {
    return new ConnectAttempt(
        "tcpListener",
        null,
        false,
        null,
        5,
        clientId,
        userName,
        password == null ? null : password.getBytes(StandardCharsets.UTF_8));
  }

  public CompletableFuture<ConnectAdmission> login(
      String clientId, @Nullable String userName, @Nullable String password) {
    return security.admit(attempt(clientId, userName, password));
  }

  /** Logs in and waits for the result. */
  public ConnectAdmission connect(
      String clientId, @Nullable String userName, @Nullable String password) throws Exception {
    return login(clientId, userName, password).get(20, TimeUnit.SECONDS);
  }

  /** `allow`, or the reason of the refusal. */
  public String result(String clientId, @Nullable String userName, @Nullable String password)
      throws Exception {
    ConnectAdmission admission = connect(clientId, userName, password);
    return admission instanceof ConnectAdmission.Refused refused
        ? refused.refusal() + ": " + refused.detail()
        : "allow";
  }

  @Override
  public void close() throws InterruptedException {
    security.close();
  }
}
