package dev.weir.scan.upstream;

final class ServiceTest extends EntryContract {
    @Override
    UpstreamList.Entry entry(int weight) {
        return new UpstreamList.Service("fuzzy", "mail.example", weight);
    }
}
