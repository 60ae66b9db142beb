package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The users of the cluster: people who administer it. A caller that is bound to a tenant sees and
 * changes only users of that tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException}, or with {@link
 * CredentialsException} where this is stated, and complete on a thread of the metadata group, which
 * must not be blocked.
 */
public final class Users {
  private static final String NOUN = "user";

  private final AccountDirectory directory;
  private final ReplicatedRecords<StoredUser> records;
  private final PasswordThread passwords;
  private final Logins logins;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  Users(
      AccountDirectory directory,
      ReplicatedRecords<StoredUser> records,
      PasswordThread passwords,
      Logins logins,
      InstantSource clock) {
    this.directory = directory;
    this.records = records;
    this.passwords = passwords;
    this.logins = logins;
    this.clock = clock;
  }

  /** Returns the users that the caller may see, ordered by name. */
  public List<User> list(Caller caller) {
    return directory.users().stream()
        .map(StoredUser::user)
        .filter(user -> caller.mayAccess(user.tenant()))
        .toList();
  }

  /** Returns a user; null if it does not exist or the caller must not see it. */
  public @Nullable User find(Caller caller, String name) {
    StoredUser stored = directory.user(name);
    return stored == null || !caller.mayAccess(stored.user().tenant()) ? null : stored.user();
  }

  /** Creates a user. Fails with INVALID, EXISTS, FULL, BUSY or UNAVAILABLE. */
  public CompletableFuture<User> add(Caller caller, User.Draft draft) {
    @Nullable String tenant;
    try {
      AccountRules.requireName("username", draft.name());
      AccountRules.requirePassword("password", draft.password());
      AccountRules.requireDescription("description", draft.description());
      tenant = AccountRules.tenantFor(caller, draft.tenant());
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    User user = new User(draft.name(), draft.role(), tenant, draft.description(), clock.instant());
    return records
        .read()
        .thenAccept(view -> requireAbsent(view, draft.name()))
        .thenCompose(absent -> passwords.run(() -> hash(draft.password())))
        .thenCompose(
            hash -> {
              StoredUser stored = new StoredUser(user, hash, random.nextLong());
              return records.create(
                  StoredUser.key(user.name()), stored.encode(), exists(user.name()));
            })
        .thenApply(written -> user);
  }

  /**
   * Changes role and description. A new role makes all tokens of the user invalid. Fails with
   * INVALID, NOT_FOUND, CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<User> update(Caller caller, String name, User.Update update) {
    String description = update.description();
    if (description != null) {
      try {
        AccountRules.requireDescription("description", description);
      } catch (RecordException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    return modify(caller, name, stored -> updated(stored, update)).thenApply(StoredUser::user);
  }

  private StoredUser updated(StoredUser stored, User.Update update) {
    User before = stored.user();
    Role role = update.role() == null ? before.role() : update.role();
    String description = update.description() == null ? before.description() : update.description();
    return new StoredUser(
        new User(before.name(), role, before.tenant(), description, before.createdAt()),
        stored.password(),
        role == before.role() ? stored.tokenEpoch() : random.nextLong());
  }

  /**
   * Changes a password, provided that the old one is right, and makes all tokens of the user
   * invalid. Fails with INVALID, NOT_FOUND, WRONG_CREDENTIALS, TOO_MANY_FAILURES, BUSY, CHANGED or
   * UNAVAILABLE.
   *
   * @param address the address of the caller, whose failures are counted
   */
  public CompletableFuture<Void> changePassword(
      Caller caller, String name, String oldPassword, String newPassword, String address) {
    if (find(caller, name) == null) {
      return CompletableFuture.failedFuture(AccountRules.notFound(NOUN, name));
    }
    return logins
        .checkPassword(name, oldPassword, address)
        .thenCompose(known -> setPassword(caller, name, newPassword));
  }

  /**
   * Sets a password and makes all tokens of the user invalid. Fails with INVALID, NOT_FOUND, BUSY,
   * CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Void> setPassword(Caller caller, String name, String password) {
    try {
      AccountRules.requirePassword("new_pwd", password);
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (find(caller, name) == null) {
      return CompletableFuture.failedFuture(AccountRules.notFound(NOUN, name));
    }
    return passwords
        .run(() -> hash(password))
        .thenCompose(
            hash ->
                modify(
                    caller, name, stored -> new StoredUser(stored.user(), hash, random.nextLong())))
        .thenApply(written -> null);
  }

  /**
   * Logs a user out everywhere: makes all its tokens invalid. Fails with NOT_FOUND, CHANGED or
   * UNAVAILABLE.
   */
  public CompletableFuture<Void> endTokens(Caller caller, String name) {
    return modify(
            caller,
            name,
            stored -> new StoredUser(stored.user(), stored.password(), random.nextLong()))
        .thenApply(written -> null);
  }

  /** Removes a user and makes its tokens invalid. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> remove(Caller caller, String name) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              return records.write(Change.remove(record.key(), record.version()));
            });
  }

  private CompletableFuture<StoredUser> modify(
      Caller caller, String name, UnaryOperator<StoredUser> change) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              StoredUser next = change.apply(records.decode(record));
              return records
                  .write(Change.put(record.key(), next.encode(), record.version()))
                  .thenApply(written -> next);
            });
  }

  private MetadataRecord require(MetadataView view, Caller caller, String name) {
    MetadataRecord record = AccountRules.isName(name) ? view.get(StoredUser.key(name)) : null;
    if (record == null || !caller.mayAccess(records.decode(record).user().tenant())) {
      throw AccountRules.notFound(NOUN, name);
    }
    return record;
  }

  private static void requireAbsent(MetadataView view, String name) {
    if (view.get(StoredUser.key(name)) != null) {
      throw new RecordException(Kind.EXISTS, exists(name));
    }
    AccountRules.requireCapacity(view, StoredUser.PREFIX, "users");
  }

  private static String exists(String name) {
    return "a user named '" + name + "' already exists";
  }

  private PasswordHash hash(String password) {
    return PasswordHash.of(password.getBytes(StandardCharsets.UTF_8), random);
  }
}
