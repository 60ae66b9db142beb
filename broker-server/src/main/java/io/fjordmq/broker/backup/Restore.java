package io.fjordmq.broker.backup;

import io.fjordmq.broker.cluster.InitialContents;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxRestore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RowFile;
import io.fjordmq.range.store.RowLoader;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.StoredRoute;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the contents of a new cluster from a backup.
 *
 * <p>Restored ranges have a later epoch than all ranges of the backup could have reached, because
 * the order of connections, and of retained messages with it, begins with the epoch of a range. The
 * nodes of the original cluster are restored as removed nodes, so that their connections count as
 * ended.
 */
public final class Restore implements InitialContents {
  private static final Logger LOG = LoggerFactory.getLogger(Restore.class);

  /** More splits and merges than any range can go through while a backup is made. */
  private static final long EPOCH_GAP = 1 << 20;

  /** The address of the nodes of the original cluster: reserved, so that none is ever contacted. */
  private static final NodeAddress NOWHERE = new NodeAddress("backup.invalid", 1);

  private final DataDirectory directory;
  private final RestoreRequest request;
  private @Nullable StoredBackup opened;

  private Restore(DataDirectory directory, RestoreRequest request) {
    this.directory = directory;
    this.request = request;
  }

  /**
   * Returns the contents of the backup that the data directory requests to restore, or those of an
   * empty cluster if there is no request.
   *
   * @throws BackupException if the backup cannot be restored; nothing has been created then
   */
  public static InitialContents requestedIn(DataDirectory directory) throws IOException {
    Optional<RestoreRequest> request = RestoreRequest.load(directory);
    if (request.isEmpty()) {
      requireNoInterruptedDownload(directory);
      return EMPTY;
    }
    Restore restore = new Restore(directory, request.get());
    if (NodeIdentity.load(directory).isEmpty()) {
      restore.backup(); // fails before anything is created
    }
    return restore;
  }

  /** An operator who wants a restored cluster must not get an empty one. */
  private static void requireNoInterruptedDownload(DataDirectory directory) throws IOException {
    Path downloaded = directory.resolve(NodeIdentity.RESTORE_FOLDER);
    if (Files.exists(downloaded)) {
      throw new BackupException(
          "'fjordmq restore' did not complete the download of a backup to %s; run it again, or delete this directory to start without the backup"
              .formatted(downloaded));
    }
  }

  private StoredBackup backup() throws IOException {
    StoredBackup backup = opened;
    if (backup == null) {
      backup = StoredBackup.open(new DirectoryStorage(request.backup()));
      if (!backup.manifestSha256().equals(request.manifestSha256())) {
        throw new BackupException(
            "the backup in %s has changed since the restore was requested; empty the data directory and run 'fjordmq restore' again"
                .formatted(request.backup()));
      }
      backup.requireSupport(SupportedLevels.ofThisProcess());
      opened = backup;
    }
    return backup;
  }

  @Override
  public List<RangeDescriptor> ranges(StoreSpec spec, ReplicaSet members) throws IOException {
    Manifest manifest = backup().manifest();
    if (!Manifest.STORES.contains(spec.name())) {
      return spec.initialRanges(members);
    }
    long version =
        manifest.ranges().stream().mapToLong(BackupRange::epochVersion).max().orElse(0) + EPOCH_GAP;
    List<RangeDescriptor> ranges = new ArrayList<>();
    for (BackupRange range : manifest.ranges(spec.name())) {
      RangeId id = new RangeId(spec.name(), ranges.size() + 1L);
      ranges.add(new RangeDescriptor(id, range.keys(), new RangeEpoch(version, 1), members));
    }
    return ranges;
  }

  @Override
  public void load(RangeStore ranges) throws IOException {
    LOG.info("Restoring a backup directory={}", request.backup());
    try {
      RowLoader routes = ranges.loader(RouteReplicas.STORE);
      InboxRestore inboxes =
          new InboxRestore(
              (id, incarnation, subscription) -> putRoute(routes, id, incarnation, subscription));
      for (String store : Manifest.STORES) {
        RowLoader rows = ranges.loader(store);
        boolean isInbox = store.equals(InboxReplicas.STORE);
        for (BackupRange range : backup().manifest().ranges(store)) {
          load(range, (key, value) -> rows.put(key, isInbox ? inboxes.prepare(key, value) : value));
        }
        rows.finish();
      }
      routes.finish();
      LOG.info("Restored the contents of a backup sessions={}", inboxes.sessions());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (MalformedBytesException e) {
      throw new BackupException("cannot restore the backup: " + e.getMessage(), e);
    }
  }

  private void load(BackupRange range, RowFile.RowVisitor visitor) throws IOException {
    read(
        range.file(),
        (key, value) -> {
          if (!range.keys().contains(key)) {
            throw new BackupException(
                range.file().name() + " is damaged: it has a key of another range");
          }
          visitor.visit(key, value);
        });
  }

  private void read(BackupFile file, RowFile.RowVisitor visitor) throws IOException {
    RowFile.read(request.backup().resolve(file.name()), visitor);
  }

  private static void putRoute(
      RowLoader routes, InboxId id, long incarnation, InboxSubscription subscription) {
    StoredRoute route =
        StoredRoute.of(
            new Route(
                id.tenant(),
                subscription.filter(),
                new Receiver.Inbox(id.clientId(), incarnation),
                subscription.options()));
    try {
      routes.put(route.key(), route.value());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Change> records() throws IOException {
    Manifest manifest = backup().manifest();
    List<Change> changes = new ArrayList<>();
    read(
        manifest.metadata(),
        (keyBytes, value) -> {
          String key = new String(keyBytes, StandardCharsets.UTF_8);
          if (!MetadataSelection.includes(key)) {
            throw new BackupException("the backup has an unknown metadata record: " + key);
          }
          changes.add(Change.put(key, value));
        });
    for (SourceNode node : manifest.nodes()) {
      NodeRecord removed =
          new NodeRecord(node.node(), NOWHERE, node.incarnation(), NodeRecord.State.REMOVED);
      changes.add(Change.put(NodeRecord.key(node.node()), removed.encode()));
    }
    return changes;
  }

  @Override
  public void onCreated() throws IOException {
    BackupDownload.delete(directory.resolve(NodeIdentity.RESTORE_FOLDER));
    RestoreRequest.delete(directory);
    LOG.info("Backup restored as a new cluster; this node no longer needs the backup");
  }
}
