package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.MetadataClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The accounts of the REST API on this node: users, API keys, logins and audit records.
 * Thread-safe.
 */
public final class Accounts implements AutoCloseable {
  private static final String SUBJECT = "this account";
  private static final RecordType<StoredUser> USER =
      new RecordType<>(StoredUser.PREFIX, SUBJECT, StoredUser::decode);
  private static final RecordType<StoredApiKey> API_KEY =
      new RecordType<>(StoredApiKey.PREFIX, SUBJECT, StoredApiKey::decode);
  private static final RecordType<TokenKey> TOKEN_KEY =
      new RecordType<>(TokenKey.KEY, "the key that signs tokens", TokenKey::decode);

  private final ReplicatedRecords<StoredUser> userRecords;
  private final ReplicatedRecords<StoredApiKey> apiKeyRecords;
  private final ReplicatedRecords<TokenKey> tokenKeyRecords;
  private final AccountDirectory directory = new AccountDirectory();
  private final PasswordThread passwords;
  private final Users users;
  private final ApiKeys apiKeys;
  private final Logins logins;
  private final AuditLog audit;
  private final FirstAdministratorSettings firstAdministratorSettings;
  private final FirstAdministrator firstAdministrator;

  /**
   * The parts of the node that accounts need.
   *
   * @param clock cluster time
   * @param requestTimeout time after which a caller gives up on a request
   */
  public record Dependencies(
      MetadataClient metadata,
      InstantSource clock,
      Duration requestTimeout,
      AccountObserver observer) {}

  /** Reads the accounts and follows their changes. */
  public static Accounts open(AccountSettings settings, Dependencies dependencies) {
    Accounts accounts = new Accounts(settings, dependencies);
    accounts.follow();
    return accounts;
  }

  private Accounts(AccountSettings settings, Dependencies dependencies) {
    userRecords = new ReplicatedRecords<>(dependencies.metadata, USER);
    apiKeyRecords = new ReplicatedRecords<>(dependencies.metadata, API_KEY);
    tokenKeyRecords = new ReplicatedRecords<>(dependencies.metadata, TOKEN_KEY);
    InstantSource clock = dependencies.clock;
    passwords =
        new PasswordThread(
            settings.maxWaitingPasswords(), dependencies.requestTimeout, dependencies.observer);
    logins =
        new Logins(
            directory,
            tokenKeyRecords,
            passwords,
            new LoginGuard(settings),
            settings,
            clock,
            dependencies.observer);
    users = new Users(directory, userRecords, passwords, logins, clock);
    apiKeys = new ApiKeys(directory, apiKeyRecords, clock);
    audit = new RecentAuditLog(settings.auditRecords());
    firstAdministratorSettings = settings.firstAdministrator();
    firstAdministrator = new FirstAdministrator(firstAdministratorSettings, userRecords, users);
  }

  private void follow() {
    userRecords.follow(
        UnaryOperator.identity(),
        "the user cannot log in to this node",
        (all, written) -> directory.setUsers(all));
    apiKeyRecords.follow(
        UnaryOperator.identity(),
        "this node does not accept the API key",
        (all, written) -> directory.setApiKeys(all));
    tokenKeyRecords.follow(
        UnaryOperator.identity(),
        "this node accepts no tokens",
        (all, written) -> directory.setTokenKey(all.get(TokenKey.KEY)));
  }

  /**
   * Creates the first administrator if one is configured and the cluster has no users. Blocks only
   * to read the password from a file; the log says what happened.
   *
   * @return completes when that is done; never fails
   */
  public CompletableFuture<Void> createFirstAdministrator() {
    return firstAdministratorSettings.isConfigured()
        ? firstAdministrator.create()
        : CompletableFuture.completedFuture(null);
  }

  public Users users() {
    return users;
  }

  public ApiKeys apiKeys() {
    return apiKeys;
  }

  public Logins logins() {
    return logins;
  }

  /** The thread that computes password hashes for requests of the API. */
  public PasswordThread passwords() {
    return passwords;
  }

  public AuditLog audit() {
    return audit;
  }

  @Override
  public void close() {
    firstAdministrator.close();
    userRecords.close();
    apiKeyRecords.close();
    tokenKeyRecords.close();
    passwords.close();
  }
}
