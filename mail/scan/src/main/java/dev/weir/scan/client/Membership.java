package dev.weir.scan.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.UpstreamList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The updater of a group's servers: it resolves the names of the list and keeps the result current. For the event loop
 * only; lookups run on other threads.
 */
final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final FuzzyClient client;
    private final ServerGroup group;
    private final Resolver resolver;
    /** The known servers of each entry of the list. */
    private final List<List<ServerGroup.Member>> known = new ArrayList<>();
    /** Servers whose name is looked up until it has an address. */
    private final Set<Server> unresolved = new HashSet<>();
    private int waiting;
    private boolean stopped;
    private Runnable whenReady = () -> {};

    Membership(FuzzyClient client, ServerGroup group, Resolver resolver) {
        this.client = client;
        this.group = group;
        this.resolver = resolver;
    }

    void begin(Runnable ready) {
        whenReady = ready;
        List<UpstreamList.Entry> entries = group.list().entries();
        waiting = entries.size();
        for (int i = 0; i < entries.size(); i++) {
            known.add(List.of());
        }
        for (int i = 0; i < entries.size(); i++) {
            // For a switch over types, the JVM would make a class in each start of a short command.
            if (entries.get(i) instanceof UpstreamList.Host host) {
                host(host, i);
            } else if (entries.get(i) instanceof UpstreamList.Service service) {
                service(service, i, 0, true);
            }
        }
    }

    /** Stops all lookups and removes the servers of the group. */
    void stop() {
        stopped = true;
        group.members(List.of());
    }

    private void host(UpstreamList.Host host, int place) {
        Server server = client.server(host.host(), host.port());
        known.set(place, List.of(new ServerGroup.Member(server, host.weight())));
        update();
        Optional<InetAddress> literal = FuzzyClient.literal(host.host());
        if (literal.isPresent()) {
            server.resolved(List.of(literal.get()));
            done();
        } else {
            unresolved.add(server);
            address(server, 0, true);
        }
    }

    private void address(Server server, int failures, boolean first) {
        if (stopped || group.members().stream().noneMatch(member -> member.server() == server)) {
            unresolved.remove(server);
            return;
        }
        Thread.ofVirtual().name("weir-look-up").start(() -> {
            List<InetAddress> found = client.addresses(server.host());
            client.loop().execute(() -> {
                if (found.isEmpty()) {
                    client.report(server.name() + " has no address");
                    client.loop().after(FuzzyClient.lookUpPause(failures), () -> address(server, failures + 1, false));
                } else {
                    unresolved.remove(server);
                    server.resolved(found);
                }
                if (first) {
                    done();
                }
            });
        });
    }

    private void service(UpstreamList.Service service, int place, int failures, boolean first) {
        if (stopped) {
            return;
        }
        Thread.ofVirtual().name("weir-look-up").start(() -> {
            List<Resolver.Location> found = locations(service);
            client.loop().execute(() -> {
                if (found.isEmpty()) {
                    client.report(service.name() + " names no server");
                    client.loop().after(FuzzyClient.lookUpPause(failures),
                            () -> service(service, place, failures + 1, false));
                } else {
                    located(service, place, found, first);
                    client.loop().after(client.servicesPause(), () -> service(service, place, 0, false));
                    return;
                }
                if (first) {
                    done();
                }
            });
        });
    }

    private void located(UpstreamList.Service service, int place, List<Resolver.Location> found, boolean first) {
        if (stopped) {
            return;
        }
        List<ServerGroup.Member> members = new ArrayList<>();
        List<Server> fresh = new ArrayList<>();
        for (Resolver.Location location : found.subList(0, Math.min(found.size(), UpstreamList.MAX_ENTRIES))) {
            Server server = client.server(location.host(), location.port());
            int weight = Math.min(service.weight() > 0 ? service.weight() : location.weight(),
                    UpstreamList.MAX_WEIGHT);
            members.add(new ServerGroup.Member(server, weight));
            // Each refresh of the records comes here, also while the last look-up of a name has not ended.
            if (!server.hasAddress() && unresolved.add(server)) {
                fresh.add(server);
            }
        }
        List<ServerGroup.Member> before = known.set(place, List.copyOf(members));
        update();
        for (Server server : fresh) {
            if (first) {
                waiting++;
            }
            address(server, 0, first);
        }
        Set<Server> servers = new HashSet<>();
        members.forEach(member -> servers.add(member.server()));
        if (before.stream().anyMatch(member -> !servers.contains(member.server()))) {
            client.removeUnused();
        }
        if (first) {
            done();
        }
    }

    private List<Resolver.Location> locations(UpstreamList.Service service) {
        try {
            return resolver.services(service.service(), service.domain());
        } catch (UnknownHostException e) {
            return List.of();
        } catch (RuntimeException e) {
            // A failure must reach the caller, because otherwise the service would never be looked up again.
            LOG.error("the servers of {} could not be looked up", service.name(), e);
            return List.of();
        }
    }

    private void update() {
        group.members(known.stream().flatMap(List::stream).toList());
    }

    private void done() {
        if (--waiting == 0) {
            whenReady.run();
        }
    }
}
