/**
 * Types that all modules share: topics, topic filters, messages, wills and subscription options.
 *
 * <p>Start at {@link io.fjordmq.api.Message}. This module has no dependencies, in particular none
 * on Netty, storage or the cluster; plugins compile against it alone. The types are immutable and
 * therefore thread-safe. Their encodings are in {@code io.fjordmq.common}.
 */
@NullMarked
package io.fjordmq.api;

import org.jspecify.annotations.NullMarked;
