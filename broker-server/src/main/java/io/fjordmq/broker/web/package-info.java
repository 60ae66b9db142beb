/**
 * The web page for operators. Its files are in {@code src/main/web}; this package serves them. The
 * page runs in the browser and uses only the REST API, so this package knows nothing about the
 * node. Start reading at {@link io.fjordmq.broker.web.WebPage}.
 */
@NullMarked
package io.fjordmq.broker.web;

import org.jspecify.annotations.NullMarked;
