package io.fjordmq.broker.admin;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * The audit records of all nodes, newest first. Pages merge one page of each node. Thread-safe;
 * does not block; futures never fail.
 */
public final class ClusterAudit {
  private final Source source;

  /** The source of the records of single nodes. */
  public interface Source {
    /** The ids of the nodes that are alive. */
    List<String> nodes();

    /** Records of one node; see {@link AuditLog#page}. */
    CompletableFuture<AuditLog.Page> page(
        String node, @Nullable Long cursor, int limit, AuditFilter filter);
  }

  public ClusterAudit(Source source) {
    this.source = source;
  }

  /**
   * One page.
   *
   * @param next where the next page starts: a cursor for each node that has more records; empty if
   *     this is the last page
   * @param problems one line for each node that is missing
   */
  public record Page(
      List<ClusterResponses.OfNode<AuditRecord>> records,
      Map<String, Long> next,
      List<String> problems) {}

  /**
   * Returns a page.
   *
   * @param cursors {@link Page#next} of the page before; null for the first page
   * @param limit maximum number of records, at least 1
   */
  public CompletableFuture<Page> page(
      @Nullable Map<String, Long> cursors, int limit, AuditFilter filter) {
    List<String> asked =
        cursors == null ? source.nodes() : cursors.keySet().stream().sorted().toList();
    Map<String, AuditLog.Page> pages = new ConcurrentHashMap<>();
    ConcurrentSkipListSet<String> problems = new ConcurrentSkipListSet<>();
    CompletableFuture<?>[] calls =
        asked.stream()
            .map(
                node ->
                    source
                        .page(node, cursors == null ? null : cursors.get(node), limit, filter)
                        .handle(
                            (page, failure) ->
                                failure == null
                                    ? pages.put(node, page)
                                    : problems.add(NodeOperations.reason(failure))))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(calls)
        .thenApply(done -> merge(new TreeMap<>(pages), limit, List.copyOf(problems)));
  }

  /** Repeatedly takes the newest of the nodes' first remaining records. */
  private static Page merge(Map<String, AuditLog.Page> pages, int limit, List<String> problems) {
    List<Position> positions = new ArrayList<>();
    pages.forEach((node, page) -> positions.add(new Position(node, page)));
    List<ClusterResponses.OfNode<AuditRecord>> taken = new ArrayList<>();
    while (taken.size() < limit) {
      Position newest = null;
      for (Position position : positions) {
        if (position.hasRecord()
            && (newest == null || position.record().time().isAfter(newest.record().time()))) {
          newest = position;
        }
      }
      if (newest == null) {
        break;
      }
      taken.add(new ClusterResponses.OfNode<>(newest.node, newest.record()));
      newest.taken++;
    }
    Map<String, Long> next = new LinkedHashMap<>();
    for (Position position : positions) {
      Long cursor = position.next();
      if (cursor != null) {
        next.put(position.node, cursor);
      }
    }
    return new Page(taken, next, problems);
  }

  /** Number of records that the merged page contains from a node's page. */
  private static final class Position {
    private final String node;
    private final AuditLog.Page page;
    private int taken;

    Position(String node, AuditLog.Page page) {
      this.node = node;
      this.page = page;
    }

    boolean hasRecord() {
      return taken < page.records().size();
    }

    AuditRecord record() {
      return page.records().get(taken);
    }

    /** Where the next page of the node starts; null if the node has no more records. */
    @Nullable Long next() {
      return hasRecord() ? Long.valueOf(page.numbers().get(taken) + 1) : page.next();
    }
  }
}
