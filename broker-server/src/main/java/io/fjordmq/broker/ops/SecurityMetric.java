package io.fjordmq.broker.ops;

/** Metrics about authentication, access rules and plugins. */
enum SecurityMetric implements Metric {
  DENIALS(
      "fjordmq.denials",
      Kind.COUNTER,
      "attempt, cause",
      "Client actions denied, by attempted action and cause"),
  AUTHENTICATION(
      "fjordmq.authentication",
      Kind.TIMER,
      "",
      "Time from receiving a CONNECT to deciding whether to admit the client"),
  PASSWORDS_WAITING(
      "fjordmq.passwords.waiting",
      Kind.GAUGE,
      "",
      "Logins waiting for their password to be hashed"),
  LOGIN_ADDRESSES(
      "fjordmq.login.addresses",
      Kind.GAUGE,
      "",
      "Client addresses tracked because of failed logins"),
  PLUGIN_CALLS_WAITING(
      "fjordmq.plugin.calls.waiting",
      Kind.GAUGE,
      "",
      "Plugin calls waiting for one of the plugin's threads"),
  EVENTS_WAITING(
      "fjordmq.events.waiting", Kind.GAUGE, "", "Events waiting to be passed to plugins"),
  EVENTS_DROPPED(
      "fjordmq.events.dropped",
      Kind.COUNTER,
      "",
      "Events for plugins dropped because the queue was full"),
  SECURITY_FILES_READ(
      "fjordmq.security.files.read",
      Kind.COUNTER,
      "result",
      "Reloads of changed password files, ACL files and revocation lists; result is loaded, or"
          + " rejected if the file is invalid"),
  PROVIDER_CALLS(
      "fjordmq.auth.calls",
      Kind.COUNTER,
      "chain, provider, outcome",
      "Calls to authentication and authorization providers, by outcome"),
  PROVIDER_LATENCY(
      "fjordmq.auth.latency",
      Kind.TIMER,
      "chain, provider",
      "Time from requesting a call to a provider until its response or failure, including the"
          + " time in the queue"),
  PROVIDER_CACHE_LOOKUPS(
      "fjordmq.auth.cache.lookups",
      Kind.COUNTER,
      "chain, provider, result",
      "Lookups of a provider's result in the cache; result is hit or miss"),
  PROVIDER_CALLS_WAITING(
      "fjordmq.auth.calls.waiting",
      Kind.GAUGE,
      "chain, provider",
      "Calls to a provider that wait because too many calls are in flight"),
  PROVIDER_BREAKER_OPEN(
      "fjordmq.auth.breaker.open",
      Kind.GAUGE,
      "chain, provider",
      "1 if the circuit breaker of a provider is open, so that it is not called"),
  API_LOGINS(
      "fjordmq.api.logins",
      Kind.COUNTER,
      "result",
      "Attempts to log in to the REST API, or to use it with an API key or a password, by"
          + " result"),
  API_PASSWORDS_WAITING(
      "fjordmq.api.passwords.waiting",
      Kind.GAUGE,
      "",
      "Passwords of the REST API waiting to be hashed"),
  FLAPPING_BANS(
      "fjordmq.flapping.bans",
      Kind.COUNTER,
      "",
      "Clients that this node banned because they disconnected too often");

  private final Spec spec;

  SecurityMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
