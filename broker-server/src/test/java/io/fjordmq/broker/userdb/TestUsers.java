package io.fjordmq.broker.userdb;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.accounts.TestAccounts;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.broker.security.ScramPolicy;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The databases of nodes that follow the same records. */
public final class TestUsers implements AutoCloseable {
  public static final Caller ANN = caller(null);

  private final TestAccounts accounts = new TestAccounts();

  /** A node: its database, and what its logins see. */
  public record Node(UserDatabase database, UserDirectory directory) {
    public ClientUsers users() {
      return database.users();
    }

    public RuleSets rules() {
      return database.rules();
    }
  }

  public TestRecords records() {
    return accounts.records;
  }

  /** A node whose database creates no SCRAM verifiers. */
  public Node open() {
    return open(ScramPolicy.NONE);
  }

  public Node open(ScramPolicy scram) {
    UserDirectory directory = new UserDirectory();
    Accounts opened = accounts.open();
    UserDatabase database =
        UserDatabase.open(
            new UserDatabase.Dependencies(
                records().client(), directory, opened.passwords(), scram, records()::now));
    return new Node(records().own(database), directory);
  }

  /** The users of a node that has not applied the last changes yet. */
  ClientUsers withView(Node node, Supplier<MetadataView> views) {
    return new ClientUsers(
        node.directory(),
        new ReplicatedRecords<>(
            records().client(),
            new RecordType<>(StoredClientUser.PREFIX, "this user", StoredClientUser::decode)),
        views,
        new CredentialHashing(ScramPolicy.NONE),
        accounts.open().passwords(),
        records()::now);
  }

  /** An administrator. */
  public static Caller caller(@Nullable String tenant) {
    return new Caller("ann", Caller.Kind.API_KEY, Role.ADMINISTRATOR, tenant);
  }

  /** A user of the default tenant. */
  public static ClientUser.Draft draft(String name, @Nullable String password) {
    return draft(name, password, null, List.of());
  }

  public static ClientUser.Draft draft(
      String name, @Nullable String password, @Nullable String tenant, List<String> groups) {
    return new ClientUser.Draft(name, password, tenant, true, false, groups, Map.of());
  }

  /** An update that changes nothing. */
  public static ClientUser.Update nothing() {
    return new ClientUser.Update(null, null, null, null, null);
  }

  /** An update of the password. */
  public static ClientUser.Update password(String password) {
    return new ClientUser.Update(password, null, null, null, null);
  }

  /** All users. */
  public static ClientUser.Filter all() {
    return new ClientUser.Filter(null, null, null, null, null);
  }

  @Override
  public void close() {
    accounts.close();
  }
}
