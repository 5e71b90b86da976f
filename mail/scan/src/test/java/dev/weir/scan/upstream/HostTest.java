package dev.weir.scan.upstream;

final class HostTest extends EntryContract {
    @Override
    UpstreamList.Entry entry(int weight) {
        return new UpstreamList.Host("2001:db8::1", 11335, weight);
    }
}
