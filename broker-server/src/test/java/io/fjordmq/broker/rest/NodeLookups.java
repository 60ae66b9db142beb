package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Lookups of nodes without a cluster. */
final class NodeLookups {
  private NodeLookups() {}

  /** Nodes with these ids; the name of node n1 is host-n1. */
  static NodeLookup of(String... ids) {
    Map<String, String> names = new HashMap<>();
    for (String id : ids) {
      names.put(id, "host-" + id);
    }
    return named(names);
  }

  /** Nodes with these names by id. */
  static NodeLookup named(Map<String, String> names) {
    Map<String, MetadataRecord> records = new HashMap<>();
    TestMembership all = new TestMembership(new NodeId(names.keySet().iterator().next()));
    names.forEach(
        (id, name) -> {
          all.setUp(new NodeId(id), 1);
          TestMembership own = new TestMembership(new NodeId(id));
          own.setWriteHandler(
              batch -> {
                batch.forEach(
                    change ->
                        records.put(
                            change.key(),
                            new MetadataRecord(
                                change.key(), Objects.requireNonNull(change.value()), 1)));
                return CompletableFuture.completedFuture(new WriteResult.Applied(1));
              });
          new NodeNames(own, records::get).publish(name).join();
        });
    return new NodeLookup(new NodeNames(all, records::get));
  }
}
