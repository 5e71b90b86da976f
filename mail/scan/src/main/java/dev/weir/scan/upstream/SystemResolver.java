package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;

import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.InitialDirContext;

/** The resolver of the machine. It looks service records up through the DNS client of the JDK. */
public final class SystemResolver implements Resolver {
    private static final int MOST_RECORDS = UpstreamList.MAX_ENTRIES;

    @Override
    public List<InetAddress> addresses(String host) throws UnknownHostException {
        return List.of(InetAddress.getAllByName(host));
    }

    // The DNS provider returns attributes as texts and deserializes no objects.
    @SuppressWarnings("BanJNDI")
    @Override
    public List<Location> services(String service, String domain) throws UnknownHostException {
        String name = "_" + service + "._tcp." + domain;
        // JNDI accepts no other map type.
        @SuppressWarnings("JdkObsolete")
        Hashtable<String, String> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
        environment.put("com.sun.jndi.dns.timeout.initial", "1000");
        environment.put("com.sun.jndi.dns.timeout.retries", "2");
        try {
            InitialDirContext context = new InitialDirContext(environment);
            try {
                Attribute records = context.getAttributes("dns:/" + name, new String[]{"SRV"}).get("SRV");
                return records == null ? List.of() : locations(records);
            } finally {
                context.close();
            }
        } catch (NamingException e) {
            UnknownHostException unknown = new UnknownHostException(name + ": " + e.getMessage());
            unknown.initCause(e);
            throw unknown;
        }
    }

    private static List<Location> locations(Attribute records) throws NamingException {
        List<Location> locations = new ArrayList<>();
        NamingEnumeration<?> all = records.getAll();
        while (all.hasMore() && locations.size() < MOST_RECORDS) {
            location(String.valueOf(all.next())).ifPresent(locations::add);
        }
        return locations;
    }

    /** Parses {@code priority weight port target}. Other texts are not service records. */
    static java.util.Optional<Location> location(String record) {
        String[] cells = record.strip().split("\\s+", -1);
        if (cells.length != 4 || !cells[0].matches("\\d{1,5}") || !cells[1].matches("\\d{1,5}")
                || !cells[2].matches("\\d{1,5}")) {
            return java.util.Optional.empty();
        }
        int port = Integer.parseInt(cells[2]);
        String host = cells[3].endsWith(".") ? cells[3].substring(0, cells[3].length() - 1) : cells[3];
        if (port < 1 || port > 65_535 || host.isEmpty()) {
            return java.util.Optional.empty();
        }
        return java.util.Optional.of(new Location(host, port, Integer.parseInt(cells[0]), Integer.parseInt(cells[1])));
    }
}
