package io.fjordmq.broker.userdb;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.CredentialsException;
import io.fjordmq.broker.accounts.PasswordThread;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.ImportLimits;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.UserCredentials;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The MQTT users. A caller that is bound to a tenant sees and changes only users of that tenant;
 * whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException}, or with {@link
 * CredentialsException} if too many passwords wait for their hashes, and complete on a thread of
 * the metadata group, which must not be blocked.
 */
public final class ClientUsers {
  private final UserDirectory directory;
  private final ReplicatedRecords<StoredClientUser> records;
  private final Supplier<MetadataView> views;
  private final CredentialHashing hashing;
  private final PasswordThread passwords;
  private final InstantSource clock;

  /** A user of another system. */
  public record Imported(ClientUser.Draft draft, @Nullable String passwordHash) {}

  /**
   * The result of an import.
   *
   * @param existing users that exist and were not changed
   */
  public record ImportResult(int created, List<String> existing) {}

  ClientUsers(
      UserDirectory directory,
      ReplicatedRecords<StoredClientUser> records,
      Supplier<MetadataView> views,
      CredentialHashing hashing,
      PasswordThread passwords,
      InstantSource clock) {
    this.directory = directory;
    this.records = records;
    this.views = views;
    this.hashing = hashing;
    this.passwords = passwords;
    this.clock = clock;
  }

  /** Returns one page of the users that match, ordered by the bytes of their names. */
  public Page<ClientUser.Stored> list(
      Caller caller, ClientUser.Filter filter, int offset, int limit) {
    Page.Collector<ClientUser.Stored> page = new Page.Collector<>(offset, limit);
    boolean undecoded = caller.tenant() == null && !filter.needsValues();
    String like = filter.like();
    for (MetadataRecord record : views.get().withPrefix(StoredClientUser.PREFIX)) {
      if (like != null && !isLike(StoredClientUser.name(record.key()), like)) {
        continue;
      }
      if (undecoded && !page.isWanted()) { // only counted
        page.skip();
        continue;
      }
      StoredClientUser stored = directory.readable(record);
      if (stored != null
          && caller.mayAccess(stored.user().tenant())
          && filter.accepts(stored.user())) {
        page.add(view(stored));
      }
    }
    return page.page();
  }

  /** A user with the text of its password hash; null if it has none. */
  public record Exported(ClientUser user, @Nullable String passwordHash) {
    /** Omits the hash. */
    @Override
    public String toString() {
      return "user " + user.name();
    }
  }

  /**
   * Returns users with their password hashes, ordered by the bytes of their names.
   *
   * @param tenant null for all tenants
   * @param after only users after this name; empty for all
   * @param limit maximum number of users; &gt; 0
   */
  public List<Exported> export(@Nullable String tenant, String after, int limit) {
    String afterKey = StoredClientUser.key(after);
    List<Exported> found = new ArrayList<>();
    for (MetadataRecord record : views.get().withPrefix(StoredClientUser.PREFIX)) {
      if (found.size() == limit) {
        break;
      }
      StoredClientUser stored =
          record.key().compareTo(afterKey) > 0 ? directory.readable(record) : null;
      if (stored != null && (tenant == null || tenant.equals(stored.user().tenant()))) {
        PasswordHash password = stored.credentials().password();
        found.add(new Exported(stored.user(), password == null ? null : password.text()));
      }
    }
    return found;
  }

  private static boolean isLike(String name, String like) {
    return name.toLowerCase(Locale.ROOT).contains(like.toLowerCase(Locale.ROOT));
  }

  /** Returns a user; null if it does not exist or the caller must not see it. */
  public ClientUser.@Nullable Stored find(Caller caller, String name) {
    StoredClientUser stored = directory.user(views.get(), name);
    return stored == null || !caller.mayAccess(stored.user().tenant()) ? null : view(stored);
  }

  private static ClientUser.Stored view(StoredClientUser stored) {
    PasswordHash password = stored.credentials().password();
    return new ClientUser.Stored(
        stored.user(),
        password == null ? null : password.kind(),
        stored.credentials().scram().stream()
            .map(verifier -> verifier.mechanism().method())
            .toList());
  }

  /** Creates a user. Fails with INVALID, EXISTS, FULL, BUSY or UNAVAILABLE. */
  public CompletableFuture<ClientUser.Stored> add(Caller caller, ClientUser.Draft draft) {
    ClientUser user;
    try {
      user = newUser(caller, draft);
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    return records
        .read()
        .thenAccept(view -> requireAbsent(view, user))
        .thenCompose(absent -> credentials(draft.password()))
        .thenCompose(
            credentials -> {
              StoredClientUser stored = new StoredClientUser(user, credentials, hashing.epoch());
              String key = StoredClientUser.key(user.name());
              byte[] value = stored.encode();
              UserDatabaseLimits.requireCapacity(views.get(), 1, 0, key.length() + value.length);
              return records
                  .create(key, value, exists(user.name()))
                  .thenApply(written -> view(stored));
            });
  }

  private ClientUser newUser(Caller caller, ClientUser.Draft draft) {
    UserDatabaseLimits.requireName("user_id", draft.name());
    UserDatabaseLimits.requirePassword(draft.password());
    UserDatabaseLimits.requireGroups(draft.groups());
    UserDatabaseLimits.requireAttributes(draft.attributes());
    return new ClientUser(
        draft.name(),
        UserDatabaseLimits.tenantFor(caller, draft.tenant()),
        draft.enabled(),
        draft.superuser(),
        draft.groups(),
        draft.attributes(),
        clock.instant());
  }

  private static void requireAbsent(MetadataView view, ClientUser user) {
    if (view.get(StoredClientUser.key(user.name())) != null) {
      throw new RecordException(Kind.EXISTS, exists(user.name()));
    }
    UserDatabaseLimits.requireCapacity(view, 1, 0, 0);
  }

  private static String exists(String name) {
    return "a user named '" + name + "' already exists";
  }

  private CompletableFuture<UserCredentials> credentials(@Nullable String password) {
    return password == null
        ? CompletableFuture.completedFuture(new UserCredentials(null, List.of()))
        : passwords.run(() -> hashing.hash(password.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Creates users whose passwords are already hashed; leaves existing ones unchanged. Users are
   * written in batches, so a failure can leave a part of them created. Fails with INVALID, FULL,
   * CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<ImportResult> importAll(Caller caller, List<Imported> users) {
    List<StoredClientUser> drafts = new ArrayList<>();
    try {
      for (Imported one : users) {
        ClientUser user = newUser(caller, one.draft);
        PasswordHash hash = one.passwordHash == null ? null : parse(user.name(), one.passwordHash);
        drafts.add(
            new StoredClientUser(user, new UserCredentials(hash, List.of()), hashing.epoch()));
      }
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    return records.read().thenCompose(view -> importAbsent(view, drafts));
  }

  private static PasswordHash parse(String name, String hash) {
    try {
      return ImportLimits.parse(hash);
    } catch (IllegalArgumentException e) {
      throw new RecordException(
          Kind.INVALID, "password_hash of user '" + name + "': " + e.getMessage());
    }
  }

  private CompletableFuture<ImportResult> importAbsent(
      MetadataView view, List<StoredClientUser> drafts) {
    List<String> existing = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    long bytes = 0;
    for (StoredClientUser stored : drafts) {
      String key = StoredClientUser.key(stored.user().name());
      if (view.get(key) != null || !keys.add(key)) {
        existing.add(stored.user().name());
      } else {
        byte[] value = stored.encode();
        bytes += key.length() + value.length;
        changes.add(Change.put(key, value, Change.ABSENT));
      }
    }
    UserDatabaseLimits.requireCapacity(view, changes.size(), 0, bytes);
    return records
        .writeAll(changes)
        .thenApply(written -> new ImportResult(changes.size(), existing));
  }

  /**
   * Changes a user. All nodes disconnect its clients if the password, the superuser flag or the
   * attributes change, or if it is disabled. Fails with INVALID, NOT_FOUND, FULL, BUSY, CHANGED or
   * UNAVAILABLE.
   */
  public CompletableFuture<ClientUser.Stored> update(
      Caller caller, String name, ClientUser.Update update) {
    try {
      UserDatabaseLimits.requirePassword(update.password());
      UserDatabaseLimits.requireGroups(update.groups());
      UserDatabaseLimits.requireAttributes(update.attributes());
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    String password = update.password();
    if (password == null) {
      return write(caller, name, update, null);
    }
    return records
        .read() // another node may have created the user just before
        .thenAccept(view -> require(view, caller, name)) // before the slow hash
        .thenCompose(found -> credentials(password))
        .thenCompose(credentials -> write(caller, name, update, credentials));
  }

  private CompletableFuture<ClientUser.Stored> write(
      Caller caller, String name, ClientUser.Update update, @Nullable UserCredentials credentials) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              StoredClientUser next = updated(records.decode(record), update, credentials);
              byte[] value = next.encode();
              UserDatabaseLimits.requireCapacity(view, 0, 0, value.length - record.value().length);
              return records
                  .write(Change.put(record.key(), value, record.version()))
                  .thenApply(written -> view(next));
            });
  }

  private StoredClientUser updated(
      StoredClientUser stored, ClientUser.Update update, @Nullable UserCredentials credentials) {
    ClientUser before = stored.user();
    ClientUser next =
        new ClientUser(
            before.name(),
            before.tenant(),
            Objects.requireNonNullElse(update.enabled(), before.enabled()),
            Objects.requireNonNullElse(update.superuser(), before.superuser()),
            Objects.requireNonNullElse(update.groups(), before.groups()),
            Objects.requireNonNullElse(update.attributes(), before.attributes()),
            before.createdAt());
    boolean sameIdentity =
        credentials == null
            && next.superuser() == before.superuser()
            && next.attributes().equals(before.attributes());
    return new StoredClientUser(
        next,
        credentials == null ? stored.credentials() : credentials,
        sameIdentity ? stored.epoch() : hashing.epoch());
  }

  /**
   * Removes a user; all nodes disconnect its clients. Fails with NOT_FOUND, CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Void> remove(Caller caller, String name) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              return records.write(Change.remove(record.key(), record.version()));
            });
  }

  private MetadataRecord require(MetadataView view, Caller caller, String name) {
    MetadataRecord record =
        UserDatabaseLimits.isName(name) ? view.get(StoredClientUser.key(name)) : null;
    if (record == null || !caller.mayAccess(records.decode(record).user().tenant())) {
      throw notFound(name);
    }
    return record;
  }

  private static RecordException notFound(String name) {
    return new RecordException(Kind.NOT_FOUND, "user '" + name + "' does not exist");
  }
}
