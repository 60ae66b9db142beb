// All views. To add one, add a line here (docs/HOW-TO-ADD.md).
import { AlarmsView } from './alarms.js';
import { AuditView } from './audit.js';
import { BansView } from './bans.js';
import { ClientView } from './client.js';
import { ClientsView } from './clients.js';
import { ConfigurationView } from './configuration.js';
import { MessagesView } from './messages.js';
import { MqttRulesView } from './mqtt-rules.js';
import { MqttUsersView } from './mqtt-users.js';
import { NodesView } from './nodes.js';
import { OverviewView } from './overview.js';
import { PluginsView } from './plugins.js';
import { RetainedView } from './retained.js';
import { RetainedMessageView } from './retained-message.js';
import { SlowSubscriptionsView } from './slow-subscriptions.js';
import { SubscriptionsView } from './subscriptions.js';
import { TopicMetricsView } from './topic-metrics.js';
import { TopicsView } from './topics.js';
import { TracesView } from './traces.js';

// path: parts with a colon are parameters, which the component gets as properties
// nav: the group of the menu in which the view is listed; without it, other views link to this one
// allTenants: the API refuses the view to users that are bound to a tenant
export const VIEWS = [
  { path: '/', title: 'Overview', nav: 'Cluster', allTenants: true, component: OverviewView },
  { path: '/nodes', title: 'Nodes and ranges', nav: 'Cluster', allTenants: true, component: NodesView },
  { path: '/clients', title: 'Clients', nav: 'Messaging', component: ClientsView },
  { path: '/clients/:clientid', title: 'Client', component: ClientView },
  { path: '/subscriptions', title: 'Subscriptions', nav: 'Messaging', component: SubscriptionsView },
  { path: '/topics', title: 'Topics', nav: 'Messaging', component: TopicsView },
  { path: '/retained', title: 'Retained messages', nav: 'Messaging', component: RetainedView },
  { path: '/retained/:topic', title: 'Retained message', component: RetainedMessageView },
  { path: '/messages', title: 'Publish and subscribe', nav: 'Messaging', component: MessagesView },
  { path: '/alarms', title: 'Alarms', nav: 'Diagnosis', allTenants: true, component: AlarmsView },
  { path: '/slow-subscriptions', title: 'Slow subscriptions', nav: 'Diagnosis',
    component: SlowSubscriptionsView },
  { path: '/topic-metrics', title: 'Topic metrics', nav: 'Diagnosis', component: TopicMetricsView },
  { path: '/traces', title: 'Traces', nav: 'Diagnosis', component: TracesView },
  { path: '/mqtt-users', title: 'MQTT users', nav: 'Administration', component: MqttUsersView },
  { path: '/mqtt-rules', title: 'MQTT rules', nav: 'Administration', component: MqttRulesView },
  { path: '/bans', title: 'Bans', nav: 'Administration', component: BansView },
  { path: '/configuration', title: 'Configuration', nav: 'Administration', allTenants: true,
    component: ConfigurationView },
  { path: '/plugins', title: 'Plugins', nav: 'Administration', allTenants: true, component: PluginsView },
  { path: '/audit', title: 'Audit', nav: 'Administration', allTenants: true, component: AuditView },
];

export const NAV_GROUPS = ['Cluster', 'Messaging', 'Diagnosis', 'Administration'];
