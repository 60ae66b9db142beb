package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The API keys of the cluster: credentials of programs. A caller that is bound to a tenant sees and
 * changes only API keys of that tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException} and complete on a
 * thread of the metadata group, which must not be blocked.
 */
public final class ApiKeys {
  private static final String NOUN = "API key";
  private static final int ID_BYTES = 16;
  private static final int SECRET_BYTES = 32;

  private final AccountDirectory directory;
  private final ReplicatedRecords<StoredApiKey> records;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  ApiKeys(
      AccountDirectory directory, ReplicatedRecords<StoredApiKey> records, InstantSource clock) {
    this.directory = directory;
    this.records = records;
    this.clock = clock;
  }

  /** Returns the API keys that the caller may see, ordered by name. */
  public List<ApiKey> list(Caller caller) {
    return directory.apiKeys().stream()
        .map(StoredApiKey::key)
        .filter(key -> caller.mayAccess(key.tenant()))
        .toList();
  }

  /** Returns an API key; null if it does not exist or the caller must not see it. */
  public @Nullable ApiKey find(Caller caller, String name) {
    StoredApiKey stored = directory.apiKey(name);
    return stored == null || !caller.mayAccess(stored.key().tenant()) ? null : stored.key();
  }

  /** Returns whether the API key has expired; expired keys are kept until they are removed. */
  public boolean isExpired(ApiKey key) {
    return key.isExpired(clock.instant());
  }

  /**
   * Creates an API key with a random id and a random secret. Fails with INVALID, EXISTS, FULL or
   * UNAVAILABLE.
   */
  public CompletableFuture<ApiKey.Created> add(Caller caller, ApiKey.Draft draft) {
    @Nullable String tenant;
    try {
      AccountRules.requireName("name", draft.name());
      AccountRules.requireDescription("desc", draft.description());
      tenant = AccountRules.tenantFor(caller, draft.tenant());
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    ApiKey key =
        new ApiKey(
            draft.name(),
            HexFormat.of().formatHex(randomBytes(ID_BYTES)),
            draft.role(),
            tenant,
            draft.description(),
            draft.enabled(),
            AccountRules.boundedExpiry(draft.expiresAt()),
            clock.instant());
    String secret =
        Base64.getUrlEncoder().withoutPadding().encodeToString(randomBytes(SECRET_BYTES));
    return records
        .read()
        .thenCompose(
            view -> {
              requireAbsent(view, key.name());
              return records.create(
                  StoredApiKey.key(key.name()),
                  StoredApiKey.of(key, secret).encode(),
                  exists(key.name()));
            })
        .thenApply(written -> new ApiKey.Created(key, secret));
  }

  /** Changes an API key. Fails with INVALID, NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<ApiKey> update(Caller caller, String name, ApiKey.Update update) {
    try {
      AccountRules.requireDescription("desc", Objects.requireNonNullElse(update.description(), ""));
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              StoredApiKey stored = records.decode(record);
              ApiKey next = updated(stored.key(), update);
              byte[] value = new StoredApiKey(next, stored.secretHash()).encode();
              return records
                  .write(Change.put(record.key(), value, record.version()))
                  .thenApply(written -> next);
            });
  }

  private static ApiKey updated(ApiKey before, ApiKey.Update update) {
    ApiKey.Expiry expiry = update.expiry();
    return new ApiKey(
        before.name(),
        before.id(),
        update.role() == null ? before.role() : update.role(),
        before.tenant(),
        update.description() == null ? before.description() : update.description(),
        update.enabled() == null ? before.enabled() : update.enabled(),
        expiry == null ? before.expiresAt() : AccountRules.boundedExpiry(expiry.at()),
        before.createdAt());
  }

  /** Removes an API key. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
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
    MetadataRecord record = AccountRules.isName(name) ? view.get(StoredApiKey.key(name)) : null;
    if (record == null || !caller.mayAccess(records.decode(record).key().tenant())) {
      throw AccountRules.notFound(NOUN, name);
    }
    return record;
  }

  private static void requireAbsent(MetadataView view, String name) {
    if (view.get(StoredApiKey.key(name)) != null) {
      throw new RecordException(Kind.EXISTS, exists(name));
    }
    AccountRules.requireCapacity(view, StoredApiKey.PREFIX, "API keys");
  }

  private static String exists(String name) {
    return "an API key named '" + name + "' already exists";
  }

  private byte[] randomBytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
