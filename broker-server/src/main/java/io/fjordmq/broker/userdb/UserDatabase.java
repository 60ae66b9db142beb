package io.fjordmq.broker.userdb;

import io.fjordmq.broker.accounts.PasswordThread;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.ScramPolicy;
import io.fjordmq.cluster.metadata.MetadataClient;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.Consumer;

/** The database of MQTT users on this node. Thread-safe. */
public final class UserDatabase implements AutoCloseable {
  private static final RecordType<StoredClientUser> USER =
      new RecordType<>(StoredClientUser.PREFIX, "this MQTT user", StoredClientUser::decode);
  private static final RecordType<RuleSet> RULES =
      new RecordType<>(RuleOwner.PREFIX, "these rules", StoredRules::decode);

  private final MetadataClient metadata;
  private final UserDirectory directory;
  private final ClientUsers users;
  private final RuleSets rules;

  /**
   * The parts of the node that the database needs.
   *
   * @param directory gets the users and rules of the metadata
   * @param passwords computes the hashes of new passwords
   * @param scram which SCRAM verifiers are created with a password
   * @param clock cluster time
   */
  public record Dependencies(
      MetadataClient metadata,
      UserDirectory directory,
      PasswordThread passwords,
      ScramPolicy scram,
      InstantSource clock) {}

  /** Reads the users and rules and follows their changes. */
  public static UserDatabase open(Dependencies dependencies) {
    UserDatabase database = new UserDatabase(dependencies);
    dependencies.metadata.watch(database.directory);
    return database;
  }

  private UserDatabase(Dependencies dependencies) {
    metadata = dependencies.metadata;
    directory = dependencies.directory;
    ReplicatedRecords<StoredClientUser> userRecords = new ReplicatedRecords<>(metadata, USER);
    CredentialHashing hashing = new CredentialHashing(dependencies.scram);
    users =
        new ClientUsers(
            directory,
            userRecords,
            metadata::view,
            hashing,
            dependencies.passwords,
            dependencies.clock);
    rules = new RuleSets(new ReplicatedRecords<>(metadata, RULES), metadata::view);
    directory.attach(
        new UserDirectory.Attached(
            metadata::view,
            new CredentialUpgrades(userRecords, metadata::view, hashing, System::nanoTime),
            new DecoySecret(metadata)));
  }

  /** The users. */
  public ClientUsers users() {
    return users;
  }

  /** The rules. */
  public RuleSets rules() {
    return rules;
  }

  /**
   * Calls back with the names of users whose clients may no longer be connected, on the metadata
   * thread, which must not be blocked.
   */
  public void onUsersChanged(Consumer<Set<String>> callback) {
    directory.onUsersChanged(callback);
  }

  @Override
  public void close() {
    metadata.unwatch(directory);
  }
}
