package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;

/**
 * Publishes that were matched against routes, and whose message is not stored yet. A node that
 * confirms a route also says whether it has any, because the route was possibly applied too late
 * for them. Called on any thread; must not block.
 */
public interface UnstoredPublishes {
  /** There are never any. */
  UnstoredPublishes NONE =
      new UnstoredPublishes() {
        @Override
        public boolean exist() {
          return false;
        }

        @Override
        public void onReported(NodeId node) {}
      };

  /** Returns whether this node has such publishes. */
  boolean exist();

  /**
   * Called when another node has confirmed a route and may have had such publishes at that moment.
   * Called before the route change completes.
   */
  void onReported(NodeId node);
}
