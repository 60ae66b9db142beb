package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.FailoverServerSet;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPConnectionPool;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.PostConnectProcessor;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.auth.connection.BlockingCalls;
import io.fjordmq.auth.connection.ServerAddress;
import io.fjordmq.auth.ldap.LdapSettings.Tls;
import io.fjordmq.auth.tls.PemFiles;
import io.fjordmq.auth.tls.PemSocketFactory;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a directory, which are opened when they are needed. Searches and logins have pools
 * of their own, because a connection belongs to the account that has logged in last. The library
 * blocks, so operations must run in {@link #submit}. Thread-safe.
 */
final class LdapDirectory implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  /**
   * The account is locked, has no password, or must not log in. A directory can also refuse the
   * name of a client, for example because it is too long.
   */
  private static final Set<ResultCode> REFUSED =
      Set.of(
          ResultCode.CONSTRAINT_VIOLATION,
          ResultCode.INAPPROPRIATE_AUTHENTICATION,
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          ResultCode.INVALID_CREDENTIALS,
          ResultCode.INVALID_DN_SYNTAX,
          ResultCode.NO_SUCH_OBJECT,
          ResultCode.UNWILLING_TO_PERFORM);

  private final LdapSettings settings;
  private final LDAPConnectionPool searches;
  private final LDAPConnectionPool logins;
  private final BlockingCalls calls;

  LdapDirectory(LdapSettings settings) throws LDAPException {
    this.settings = settings;
    this.searches = pool(settings, new Preparation(settings, !settings.username().isEmpty()));
    this.logins = pool(settings, new Preparation(settings, false));
    this.calls = new BlockingCalls("auth-ldap", settings.poolSize());
  }

  private static LDAPConnectionPool pool(LdapSettings settings, Preparation preparation)
      throws LDAPException {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setConnectTimeoutMillis((int) settings.connectTimeout().toMillis());
    options.setResponseTimeoutMillis(settings.timeout().toMillis());
    options.setUseSynchronousMode(true); // no thread per connection
    options.setFollowReferrals(false); // a referral would send passwords to other servers
    options.setMaxMessageSize(MAX_MESSAGE_BYTES);
    options.setUseSchema(false);
    PemFiles files = settings.files();
    SocketFactory sockets = SocketFactory.getDefault();
    if (files != null) {
      if (settings.verifyHost()) {
        options.setSSLSocketVerifier(new HostNameSSLSocketVerifier(true));
      }
      if (settings.tls() == Tls.FROM_START) {
        sockets = new PemSocketFactory(files);
      }
    }
    FailoverServerSet servers =
        new FailoverServerSet(
            settings.servers().stream().map(ServerAddress::host).toArray(String[]::new),
            settings.servers().stream().mapToInt(ServerAddress::port).toArray(),
            sockets,
            options,
            null,
            preparation);
    servers.setReOrderOnFailover(true);
    LDAPConnectionPool pool =
        new LDAPConnectionPool(servers, null, 0, settings.poolSize(), null, false);
    pool.setRetryFailedOperationsDueToInvalidConnections(true);
    pool.setConnectionPoolName("auth-ldap");
    return pool;
  }

  /** Prepares a new connection: encrypts it and logs in. */
  private record Preparation(LdapSettings settings, boolean logsIn)
      implements PostConnectProcessor {
    @Override
    public void processPreAuthenticatedConnection(LDAPConnection connection) throws LDAPException {
      PemFiles files = settings.files();
      if (files != null && settings.tls() == Tls.START_TLS) {
        StartTls.on(connection, files);
      }
      if (logsIn) {
        connection.bind(new SimpleBindRequest(settings.username(), password()));
      }
    }

    private String password() throws LDAPException {
      try {
        return settings.password();
      } catch (IllegalArgumentException e) {
        throw new LDAPException(ResultCode.LOCAL_ERROR, String.valueOf(e.getMessage()), e);
      }
    }

    @Override
    public void processPostAuthenticatedConnection(LDAPConnection connection) {}
  }

  /** Runs operations of this directory on one of its threads. */
  <T> CompletableFuture<T> submit(BlockingCalls.Call<T> call) {
    return calls.submit(call);
  }

  /**
   * Searches entries. Blocks.
   *
   * @param maxEntries more are an error for the client
   * @param attributes the attributes to read
   * @return the entries; none if the base does not exist, or contains a name of the client that the
   *     directory refuses
   */
  List<SearchResultEntry> search(
      String base, SearchScope scope, Filter filter, int maxEntries, List<String> attributes)
      throws ProviderException {
    SearchRequest request =
        new SearchRequest(base, scope, filter, attributes.toArray(String[]::new));
    request.setSizeLimit(maxEntries + 1);
    request.setTimeLimitSeconds((int) settings.timeout().plusMillis(999).toSeconds());
    request.setResponseTimeoutMillis(settings.timeout().toMillis());
    List<SearchResultEntry> found;
    try {
      // null only if a listener takes the entries
      found = Objects.requireNonNull(searches.search(request).getSearchEntries(), "entries");
    } catch (LDAPSearchException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)
          || e.getResultCode().equals(ResultCode.INVALID_DN_SYNTAX)) {
        return List.of();
      }
      if (!e.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
        throw LdapFailures.of(e);
      }
      List<SearchResultEntry> some = e.getSearchEntries();
      if (some == null || some.size() <= maxEntries) {
        throw LdapFailures.of(e); // the server has a lower limit
      }
      found = some;
    }
    if (found.size() > maxEntries) {
      throw ProviderException.aboutClient(
          "the directory has more than "
              + maxEntries
              + (maxEntries == 1 ? " entry" : " entries")
              + " for this client",
          null);
    }
    return found;
  }

  /**
   * Logs in as a client and reads its entry with its own rights. Blocks.
   *
   * @param password not empty: a directory accepts an empty one from anyone, as an anonymous login
   * @throws IllegalArgumentException if the password is empty
   */
  Login login(String dn, byte[] password, List<String> attributes) throws ProviderException {
    if (password.length == 0) {
      throw new IllegalArgumentException("the password must not be empty");
    }
    LDAPConnection connection;
    try {
      connection = logins.getConnection();
    } catch (LDAPException e) {
      throw LdapFailures.of(e);
    }
    try {
      return login(connection, dn, password, attributes);
    } catch (LDAPException e) {
      if (!LdapFailures.isLost(e)) {
        logins.releaseDefunctConnection(connection);
        throw LdapFailures.of(e);
      }
    } catch (RuntimeException e) {
      logins.releaseDefunctConnection(connection);
      throw e;
    }
    // A restart of the server has ended the connections of the pool.
    LDAPConnection replacement;
    try {
      replacement = logins.replaceDefunctConnection(connection);
    } catch (LDAPException e) {
      throw LdapFailures.of(e);
    }
    try {
      return login(replacement, dn, password, attributes);
    } catch (LDAPException e) {
      logins.releaseDefunctConnection(replacement);
      throw LdapFailures.of(e);
    } catch (RuntimeException e) {
      logins.releaseDefunctConnection(replacement);
      throw e;
    }
  }

  /**
   * A login.
   *
   * @param refusal the reason if the directory has refused it; otherwise null
   * @param entry the entry of the client; null if it cannot read it itself
   */
  record Login(@Nullable String refusal, @Nullable Entry entry) {}

  /** Logs in on a connection, and returns it to the pool unless there is an exception. */
  private Login login(
      LDAPConnection connection, String dn, byte[] password, List<String> attributes)
      throws LDAPException {
    try {
      connection.bind(new SimpleBindRequest(dn, password));
    } catch (LDAPException e) {
      if (!REFUSED.contains(e.getResultCode())) {
        throw e;
      }
      logins.releaseConnection(connection);
      boolean wrong = e.getResultCode().equals(ResultCode.INVALID_CREDENTIALS);
      return new Login(
          wrong ? "wrong password" : "refused by the directory: " + e.getResultCode().getName(),
          null);
    }
    Entry entry =
        attributes.isEmpty() ? null : connection.getEntry(dn, attributes.toArray(String[]::new));
    logins.releaseConnection(connection);
    return new Login(null, entry);
  }

  @Override
  public void close() {
    calls.close();
    // Connections in use are closed when their operation ends, at the latest by its time limit.
    searches.close(true, 1);
    logins.close(true, 1);
  }
}
