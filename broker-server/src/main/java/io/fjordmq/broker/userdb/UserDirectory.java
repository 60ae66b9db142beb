package io.fjordmq.broker.userdb;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.security.DatabaseRules;
import io.fjordmq.broker.security.DatabaseUser;
import io.fjordmq.broker.security.UserSource;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users and rules as this node knows them from its metadata. They are decoded when they are
 * needed, so that the metadata are the only copy in memory. A record that this node cannot read
 * does not exist for it. Has no users until {@link #attach}. Thread-safe; does not block.
 */
public final class UserDirectory implements UserSource, MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(UserDirectory.class);

  // Leaving out rules that this node cannot read could give clients more rights.
  private static final List<RuleTemplate> DENY_ALL =
      List.of(
          new TopicRule(false, Access.READ_WRITE, "#", Set.of(), null)
              .template("rules that this node cannot read"));

  private final RateLimitedLog unreadable = new RateLimitedLog();
  private final ChangeCounters counters = new ChangeCounters();
  // Of groups and of all clients, because many clients have them.
  private final Map<String, ParsedRules> shared = new ConcurrentHashMap<>();
  private volatile @Nullable Attached attached;
  private volatile Object version = new Object();
  private volatile Consumer<Set<String>> usersChanged = names -> {};

  /** What this directory uses once the metadata are open. */
  record Attached(
      Supplier<MetadataView> views, CredentialUpgrades upgrades, DecoySecret decoySecret) {}

  private record ParsedRules(long version, List<RuleTemplate> templates) {}

  /** Starts using the metadata. Called once, when this node has opened them. */
  void attach(Attached metadata) {
    attached = metadata;
    counters.incrementAll();
    version = new Object();
  }

  private @Nullable MetadataView view() {
    Attached current = attached;
    return current == null ? null : current.views.get();
  }

  /**
   * Calls back with the names of users whose clients may no longer be connected, on the metadata
   * thread, which must not be blocked.
   */
  void onUsersChanged(Consumer<Set<String>> callback) {
    usersChanged = callback;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    boolean changedRules = false;
    Set<String> changedUsers = new HashSet<>();
    for (MetadataUpdate update : updates) {
      String key = update.key();
      if (key.startsWith(RuleOwner.PREFIX)) {
        shared.remove(key);
        counters.increment(key);
        changedRules = true;
      } else if (key.startsWith(StoredClientUser.PREFIX)) {
        UserChange change = new UserChange(update);
        if (change.concernsRules()) {
          counters.increment(key);
          changedRules = true;
        }
        if (change.concernsIdentities()) {
          changedUsers.add(StoredClientUser.name(key));
        }
      }
    }
    if (changedRules) {
      version = new Object();
    }
    if (!changedUsers.isEmpty()) {
      usersChanged.accept(changedUsers);
    }
  }

  @Override
  public Object version() {
    return version;
  }

  @Override
  public @Nullable DatabaseUser find(String userName) {
    MetadataView view = view();
    StoredClientUser stored = view == null ? null : user(view, userName);
    return stored == null ? null : stored.known();
  }

  /** Returns a user; null if there is none that this node can read. */
  @Nullable StoredClientUser user(MetadataView view, String name) {
    if (!UserDatabaseLimits.isName(name)) {
      return null;
    }
    MetadataRecord record = view.get(StoredClientUser.key(name));
    return record == null ? null : readable(record);
  }

  /** Returns the user of a record; null if this node cannot read it. */
  @Nullable StoredClientUser readable(MetadataRecord record) {
    try {
      return StoredClientUser.decode(record.value());
    } catch (RuntimeException e) {
      warn(record, "the user cannot log in to this node, and only its own rules allow", e);
      return null;
    }
  }

  @Override
  public DatabaseRules rulesOf(ClientContext client) {
    String tenant = client.tenant();
    String userName = client.userName();
    String userKey =
        userName != null && UserDatabaseLimits.isName(userName)
            ? StoredClientUser.key(userName)
            : null;
    // Counters are read before the records that they count, so that no change is missed.
    ChangeCounters.Snapshot userCounts =
        counters.snapshot(userKey == null ? List.of() : List.of(userKey));
    MetadataView view = view();
    MetadataRecord user = view == null || userKey == null ? null : view.get(userKey);
    StoredClientUser stored = user == null ? null : readable(user);
    List<RuleOwner> owners = new ArrayList<>();
    owners.add(new RuleOwner(RuleOwner.Kind.CLIENT, tenant, client.clientId()));
    if (userName != null) {
      owners.add(new RuleOwner(RuleOwner.Kind.USER, tenant, userName));
    }
    if (stored != null && stored.user().tenant().equals(tenant)) {
      for (String group : stored.user().groups()) {
        owners.add(new RuleOwner(RuleOwner.Kind.GROUP, tenant, group));
      }
    }
    owners.add(RuleOwner.all(tenant));
    ChangeCounters.Snapshot ruleCounts = counters.snapshot(keysOf(owners));
    boolean hidesGroups = user != null && stored == null;
    return new DatabaseRules(
        rulesOf(owners, hidesGroups), () -> userCounts.getAsBoolean() && ruleCounts.getAsBoolean());
  }

  private static List<String> keysOf(List<RuleOwner> owners) {
    List<String> keys = new ArrayList<>();
    for (RuleOwner owner : owners) {
      String key = keyOf(owner);
      if (key != null) {
        keys.add(key);
      }
    }
    return keys;
  }

  /** Returns the key of the rules; null if an owner of this name cannot have rules. */
  private static @Nullable String keyOf(RuleOwner owner) {
    return owner.kind() == RuleOwner.Kind.ALL || UserDatabaseLimits.isName(owner.name())
        ? owner.key()
        : null;
  }

  /**
   * @param hidesGroups whether the user has groups that this node cannot read, which may have rules
   *     that deny
   */
  private List<RuleTemplate> rulesOf(List<RuleOwner> owners, boolean hidesGroups) {
    List<RuleTemplate> rules = new ArrayList<>();
    MetadataView view = view();
    if (view == null) {
      return rules;
    }
    for (RuleOwner owner : owners) {
      boolean isShared = owner.kind() == RuleOwner.Kind.GROUP || owner.kind() == RuleOwner.Kind.ALL;
      String key = keyOf(owner);
      MetadataRecord record = key == null ? null : view.get(key);
      if (record != null) {
        rules.addAll(isShared ? parseShared(record) : parse(record));
      }
      if (owner.kind() == RuleOwner.Kind.USER && hidesGroups) {
        rules.addAll(DENY_ALL);
      }
    }
    return rules;
  }

  private List<RuleTemplate> parseShared(MetadataRecord record) {
    ParsedRules known = shared.get(record.key());
    if (known == null || known.version != record.version()) {
      known = new ParsedRules(record.version(), parse(record));
      shared.put(record.key(), known);
    }
    return known.templates;
  }

  private List<RuleTemplate> parse(MetadataRecord record) {
    try {
      return StoredRules.decode(record.value()).templates();
    } catch (RuntimeException e) {
      warn(record, "this node denies everything to their clients", e);
      return DENY_ALL;
    }
  }

  private void warn(MetadataRecord record, String consequence, RuntimeException failure) {
    String suppressed = unreadable.permit();
    if (suppressed != null) {
      LOG.error(
          "Cannot read a metadata record; {}: {} record={}{}",
          consequence,
          failure.getMessage(),
          record.key(),
          suppressed);
    }
  }

  @Override
  public boolean isUpgradeDue(DatabaseUser user) {
    Attached current = attached;
    return current != null && current.upgrades.isDue(user);
  }

  @Override
  public void onPasswordVerified(DatabaseUser user, byte[] password) {
    Attached current = attached;
    if (current != null) {
      current.upgrades.onLogin(user, password);
    }
  }

  @Override
  public byte[] decoySecret() {
    Attached current = attached;
    return current == null ? UserSource.NONE.decoySecret() : current.decoySecret.get();
  }
}
